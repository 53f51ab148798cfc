// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Registrations that two threads changed at a time, in the forms in which people have them.
enum RaceForms {
  static let faults: [Sample] = [
    Sample("two threads remove", #"KVO025 ?.? < ?"#) {
      #"""
      Process:             Shop [99]
      OS Version:          iPhone OS 12.1 (16B92)
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010
      Triggered by Thread:  3

      Thread 0 name:  Dispatch queue: com.apple.main-thread
      Thread 0:
      0   libsystem_kernel.dylib   0x1 __psynch_mutexwait + 8
      1   libsystem_pthread.dylib  0x2 _pthread_mutex_lock_wait + 96
      2   Foundation               0x3 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 92
      3   Foundation               0x4 -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:] + 92
      4   Shop                     0x5 -[CartView dealloc] + 12

      Thread 3 name:  Dispatch queue: com.example.worker
      Thread 3 Crashed:
      0   libobjc.A.dylib          0x6 objc_msgSend + 16
      1   Foundation               0x7 _NSKeyValueObservationInfoCreateByRemoving + 300
      2   Foundation               0x8 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 400
      3   Foundation               0x9 -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:context:] + 100
      4   Shop                     0xa -[CartModel stop] (CartModel.m:77)
      """#
    },
    Sample("a removal against a notification", #"KVO025 ?.? < ?"#) {
      #"""
      Crashed: com.example.worker
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000018
      0  libobjc.A.dylib  0x1 objc_retain + 8
      1  Foundation       0x2 NSKeyValueObservationInfoGetObservances + 100
      2  Foundation       0x3 -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:] + 100
      3  Shop             0x4 -[CartModel stop] (CartModel.m:77)

      com.apple.main-thread
      Thread 0:
      0  libsystem_kernel.dylib  0x5 __ulock_wait + 8
      1  Foundation              0x6 NSKeyValueDidChange + 8
      2  Shop                    0x7 -[Cart setTotal:] (Cart.m:7)
      """#
    },
    Sample("one thread alone", #"KVO025~ ?.? < ?"#) {
      #"""
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Thread 0 Crashed:
      0   libobjc.A.dylib          0x6 objc_msgSend + 16
      1   Foundation               0x7 NSKeyValueRetainedObservationInfoForObject + 60
      2   Foundation               0x9 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 100
      3   Shop                     0xa -[CartModel stop] (CartModel.m:77)
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("two threads lock, none crashes") {
      #"""
      Process:             Shop [99]
      Thread 0:
      0   libsystem_kernel.dylib   0x1 __psynch_mutexwait + 8
      1   Foundation               0x3 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 92
      Thread 3:
      0   libsystem_kernel.dylib   0x1 __psynch_mutexwait + 8
      1   Foundation               0x3 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 92
      """#
    },
    Sample("a crash in the app while others remove") {
      #"""
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Thread 0:
      0   Foundation               0x3 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 92
      1   Shop                     0x5 -[CartView dealloc] + 12
      Thread 3 Crashed:
      0   Shop          0x6 -[CartModel total] + 16
      1   Foundation    0x7 -[NSObject(NSKeyValueObserverRegistration) addObserver:forKeyPath:options:context:] + 300
      """#
    },
    Sample("a collection mutated by two threads") {
      #"""
      *** Terminating app due to uncaught exception 'NSGenericException', reason: '*** Collection <__NSArrayM: 0x1> was mutated while being enumerated.' NSKeyValueObservationInfo
      """#
    },
  ]
}
