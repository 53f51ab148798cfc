// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Values that changed without a notification, in the forms in which people have them.
enum SilentChangeForms {
  static let faults: [Sample] = [
    Sample("the plain sentence", #"KVO014 Camera.device.torchMode < Camera"#) {
      #"""
      Cannot update for observer <Camera 0x15e92070> for the key path "device.torchMode" from <Camera 0x15e92070>, most likely because the value for the key "device" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the Camera class.
      """#
    },
    Sample("Crashlytics with its stack", #"KVO014 Camera.device.torch < Camera"#) {
      #"""
      **Fatal Exception: NSInternalInconsistencyException
      Cannot update for observer <Camera 0x15c75cfb0> for the key path "device.torch" from <Camera 0x15c75cfb0>, most likely because the value for the key "device" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the Camera class.**

      ```
      Fatal Exception: NSInternalInconsistencyException
      0  CoreFoundation                 0x182da6e38 __exceptionPreprocess
      1  libobjc.A.dylib                0x18240bf80 objc_exception_throw
      2  CoreFoundation                 0x182da6d80 -[NSException initWithCoder:]
      3  Foundation                     0x1836c79f8 -[NSKeyValueNestedProperty object:withObservance:didChangeValueForKeyOrKeys:recurse:forwardingValues:]
      4  Camera                         0x1011e3160 __29-[Camera started:]_block_invoke (Camera.m:51)
      ```
      """#
    },
    Sample("on removal", #"KVO014 TeamList.selection.name < TeamController"#) {
      #"""
      Cannot remove an observer <TeamController 0x6080000c> for the key path "selection.name" from <TeamList 0x60001>, most likely because the value for the key "selection" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the TeamList class.
      """#
    },
    Sample("re-wrapped", #"KVO014 TeamList.selection.name < TeamController"#) {
      #"""
      # Cannot update for observer <TeamController
      # 0x6080000c> for the key path "selection.
      # name" from <TeamList 0x60001>, most likely because the
      # value for the key "selection" has changed without an appropriate KVO notification
      # being sent. Check the KVO-compliance of the TeamList class.
      """#
    },
    Sample("a console", #"KVO014 Shop.Cart.items.total < Shop.CartView"#) {
      #"""
      2020-05-01 12:00:00.000000+0000 Shop[1:2] [error] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Cannot update for observer <Shop.CartView 0x1> for the key path "items.total" from <Shop.Cart 0x2>, most likely because the value for the key "items" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the Shop.Cart class.'
      """#
    },
    Sample("escaped", #"KVO014 Cart.items.total < CartView"#) {
      #"""
      "Cannot update for observer <CartView 0x1> for the key path \"items.total\" from <Cart 0x2>, most likely because the value for the key \"items\" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the Cart class."
      """#
    },
    Sample("cut", #"KVO014 Cart.items.total < CartView"#) {
      #"""
      Cannot update for observer <CartView 0x1> for the key path "items.total" from <Cart 0x2>, most likely because the value for the key "it
      """#
    },
    Sample("a token", #"KVO014 Cart.items.total < NSKeyValueObservance"#) {
      #"""
      reason: 'Cannot update for observer <NSKeyValueObservance 0x1> for the key path "items.total" from <Cart 0x2>, most likely because the value for the key "items" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the Cart class.'
      """#
    },
    Sample("entities", #"KVO014 Cart.items.total < CartView"#) {
      #"""
      Cannot update for observer &lt;CartView 0x1&gt; for the key path &quot;items.total&quot; from &lt;Cart 0x2&gt;, most likely because the value for the key &quot;items&quot; has changed without an appropriate KVO notification being sent.
      """#
    },
    Sample("single quotes", #"KVO014 Cart.items.total < CartView"#) {
      #"""
      Cannot update for observer <CartView 0x1> for the key path 'items.total' from <Cart 0x2>, most likely because the value for the key 'items' has changed without an appropriate KVO notification being sent.
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("a search result") {
      #"""
      How do I send an appropriate KVO notification when the value for a key has changed? Check the KVO-compliance of your class.
      """#
    },
    Sample("an update that was refused") {
      #"""
      Error: Cannot update for row 12, most likely because the value for the key "id" is not unique
      """#
    },
    Sample("Core Data") {
      #"""
      'NSInternalInconsistencyException', reason: 'Cannot update object that was never inserted.'
      """#
    },
    Sample("a query") {
      #"""
      cannot update for observer role: permission denied for relation key_paths
      """#
    },
    Sample("notification docs") {
      #"""
      Manual change notification: call willChangeValueForKey: and didChangeValueForKey:, or the change has no KVO notification being sent.
      """#
    },
  ]
}
