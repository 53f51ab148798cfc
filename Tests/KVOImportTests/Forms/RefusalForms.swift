// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Objects and keys that cannot be observed, in the forms in which people have them.
enum RefusalForms {
  static let faults: [Sample] = [
    Sample("the key of a path, found while adding", #"KVO029 Meter.levle < ?"#) {
      #"""
      *** Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '[<Meter 0x600002c5a040> valueForUndefinedKey:]: this class is not key value coding-compliant for the key levle.'
      *** First throw call stack:
      (
      	0   CoreFoundation   0x000000010efa11e6 __exceptionPreprocess + 294
      	1   libobjc.A.dylib  0x000000010e636031 objc_exception_throw + 48
      	2   CoreFoundation   0x000000010f0 -[NSException raise] + 9
      	3   Foundation       0x000000010e06 -[NSObject(NSKeyValueCoding) valueForUndefinedKey:] + 226
      	4   Foundation       0x000000010e07 -[NSObject(NSKeyValueCoding) valueForKey:] + 280
      	5   Foundation       0x000000010e08 -[NSKeyValueNestedProperty object:didAddObservance:recurse:] + 101
      	6   Foundation       0x000000010e09 -[NSObject(NSKeyValueObserverRegistration) _addObserver:forProperty:options:context:] + 500
      	7   Foundation       0x000000010e0a -[NSObject(NSKeyValueObserverRegistration) addObserver:forKeyPath:options:context:] + 85
      	8   Gauges           0x000000010dd2de9c -[GaugeView viewDidLoad] + 172
      )
      """#
    },
    Sample("an array", #"KVO029 __NSArrayI.count < ?"#) {
      #"""
      [<__NSArrayI 0x6000002a> addObserver:forKeyPath:options:context:] is not supported. Key path: count
      """#
    },
    Sample("a mutable array in a console", #"KVO029 __NSArrayM.@count < ?"#) {
      #"""
      2015-01-01 10:00:00.000 A[1:2] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '[<__NSArrayM 0x7fc> addObserver:forKeyPath:options:context:] is not supported. Key path: @count'
      """#
    },
    Sample("a set", #"KVO029 __NSSetM.count < ?"#) {
      #"""
      reason: '[<__NSSetM 0x7fc> addObserver:forKeyPath:options:context:] is not supported. Key path: count'
      """#
    },
    Sample("a removal from an array", #"KVO029 __NSArrayI.status < ?"#) {
      #"""
      '[<__NSArrayI 0x7fc> removeObserver:forKeyPath:] is not supported. Key path: status'
      """#
    },
    Sample("the whole call", #"KVO029 PushController.test1 < PushController"#) {
      #"""
      Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '[<PushController 0x7ffa3fc013b0> addObserver:<PushController 0x7ffa3fc013b0> forKeyPath:@"test1" options:5 context:0x0] was sent to an object that is not KVC-compliant for the "test1" property.'
      """#
    },
    Sample("the whole call with a path", #"KVO029 NSObject.a.b < Gauge"#) {
      #"""
      [<NSObject 0x1> addObserver:<Gauge 0x2> forKeyPath:@"a.b" options:0x1 context:0x0] was sent to an object that is not KVC-compliant for the "b" property.
      """#
    },
    Sample("a class pair", #"KVO030 Meter.? < ?"#) {
      #"""
      2019-01-01 10:00:00.000000+0100 Gauges[1:2] [general] KVO failed to allocate class pair for name NSKVONotifying_Meter, automatic key-value observing will not work for this class
      """#
    },
    Sample("a class pair of Swift", #"KVO030 Gauges.Meter.? < ?"#) {
      #"""
      KVO failed to allocate class pair for name NSKVONotifying_Gauges.Meter, automatic key-value observing will not work for this class
      """#
    },
    Sample("a trap in Swift", #"KVO029 Gauges.Meter.? < ?"#) {
      #"""
      Fatal error: Could not extract a String from KeyPath Swift.ReferenceWritableKeyPath<Gauges.Meter, Swift.Double>: file /BuildRoot/Library/Caches/com.apple.xbs/Sources/swiftlang/swift/stdlib/public/SDK/Foundation/NSObject.swift, line 85
      """#
    },
    Sample("a trap with its stack", #"KVO029 Gauges.Meter.? < ?"#) {
      #"""
      Thread 1: Fatal error: Could not extract a String from KeyPath Swift.KeyPath<Gauges.Meter, Swift.Int>
      * thread #1, queue = 'com.apple.main-thread', stop reason = Fatal error: Could not extract a String from KeyPath Swift.KeyPath<Gauges.Meter, Swift.Int>
          frame #0: 0x1 libswiftCore.dylib`_swift_runtime_on_report
          frame #1: 0x2 libswiftCore.dylib`Swift._assertionFailure(_: Swift.StaticString) -> Swift.Never + 450
          frame #2: 0x3 libswiftFoundation.dylib`Foundation._KeyValueCodingAndObserving.observe<A>(_: Swift.KeyPath<Self, A>, options: Foundation.NSKeyValueObservingOptions) -> Foundation.NSKeyValueObservation + 1000
          frame #3: 0x4 Gauges`GaugeView.viewDidLoad(self=0x6) at GaugeView.swift:20
      """#
    },
    Sample("a trap of Swift 5.8, in a file that is named first", #"KVO029 Meter.level < ?"#) {
      #"""
      Foundation/NSObject.swift:161: Fatal error: Could not extract a String from KeyPath \Meter.level
      """#
    },
    Sample("the same of a part that has no name", #"KVO029 Meter.? < ?"#) {
      #"""
      Foundation/NSObject.swift:161: Fatal error: Could not extract a String from KeyPath \Meter.<computed 0x0000000102f1a4c8 (Double)>
      """#
    },
    Sample("GNUstep's collection", #"KVO029 GSInlineArray.? < ?"#) {
      #"""
      Uncaught exception NSGenericException, reason: [GSInlineArray-addObserver:forKeyPath:options:context:]: This class is not observable
      """#
    },
    Sample("a wrapped refusal of a collection", #"KVO029 __NSArrayI.count < ?"#) {
      #"""
      > [<__NSArrayI 0x6000002a>
      > addObserver:forKeyPath:options:context:] is not
      > supported. Key path: count
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("an outlet of a nib") {
      #"""
      *** Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '[<ViewController 0x7fe> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key button.'
      """#
    },
    Sample("a value that was asked for") {
      #"""
      reason: '[<Meter 0x6> valueForUndefinedKey:]: this class is not key value coding-compliant for the key levle.'
      """#
    },
    Sample("a value that was asked for, with its stack") {
      #"""
      reason: '[<Meter 0x6> valueForUndefinedKey:]: this class is not key value coding-compliant for the key levle.'
      *** First throw call stack:
      (
      	0   CoreFoundation   0x000000010efa11e6 __exceptionPreprocess + 294
      	1   libobjc.A.dylib  0x000000010e636031 objc_exception_throw + 48
      	2   Foundation       0x000000010e06 -[NSObject(NSKeyValueCoding) valueForKey:] + 226
      	3   Gauges           0x000000010dd2 -[GaugeView refresh] + 172
      )
      """#
    },
    Sample("a value asked for in a callback of an addition") {
      #"""
      reason: '[<Meter 0x6> valueForUndefinedKey:]: this class is not key value coding-compliant for the key levle.'
      *** First throw call stack:
      (
      	0   CoreFoundation   0x000000010efa11e6 __exceptionPreprocess + 294
      	1   libobjc.A.dylib  0x000000010e636031 objc_exception_throw + 48
      	2   Foundation       0x000000010e06 -[NSObject(NSKeyValueCoding) valueForKey:] + 226
      	3   Gauges           0x000000010dd2 -[GaugeView observeValueForKeyPath:ofObject:change:context:] + 172
      	4   Foundation       0x000000010e09 NSKeyValueNotifyObserver + 500
      	5   Foundation       0x000000010e0a -[NSObject(NSKeyValueObserverRegistration) addObserver:forKeyPath:options:context:] + 85
      	6   Gauges           0x000000010dd2de9c -[GaugeView viewDidLoad] + 172
      )
      """#
    },
    Sample("an expression of Swift") {
      #"""
      Fatal error: Could not extract a String from KeyPath Swift.KeyPath<Gauges.Meter, Swift.Int>: file NSExpression.swift, line 20
      """#
    },
    Sample("a private key of the runtime") {
      #"""
      [<NSKeyValueObservance 0x113fda750> valueForUndefinedKey:]: this class is not key value coding-compliant for the key _options.
      """#
    },
    Sample("a method that an array lacks") {
      #"""
      '-[__NSArrayI addObject:]: unrecognized selector sent to instance 0x6'
      """#
    },
    Sample("a view with a runtime attribute") {
      #"""
      Failed to set (keyPath) user defined inspected property on (Kid.TextField): [<Kid.TextField 0x7fa> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key keyPath.
      """#
    },
    Sample("a sort descriptor") {
      #"""
      'NSUnknownKeyException', reason: '[<__NSCFNumber 0x1d8> valueForUndefinedKey:]: this class is not key value coding-compliant for the key name.'
      """#
    },
    Sample("a feature that is not supported") {
      #"""
      addObserver:forKeyPath:options:context: is documented; CALayer animation key path: count is not supported here
      """#
    },
    Sample("another runtime class pair") {
      #"""
      objc: failed to allocate class pair for name MyProxy_1
      """#
    },
  ]
}
