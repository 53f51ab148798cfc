/// Removals of what was not registered, in the forms in which people have them.
enum RemovalForms {
  private static let plain = "KVO002 Meter.level < GaugeView"

  static let faults: [Sample] = [
    Sample("the sentence alone", plain) {
      #"Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path "level" from <Meter 0x600002c5a040> because it is not registered as an observer."#
    },
    Sample("a console, drained and terminated", plain) {
      """
      2019-04-02 09:11:54.120311+0200 Gauges[4711:52013] [general] Caught exception during autorelease pool drain NSRangeException: Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path "level" from <Meter 0x600002c5a040> because it is not registered as an observer. userInfo: (null)
      2019-04-02 09:11:54.125000+0200 Gauges[4711:52013] *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path "level" from <Meter 0x600002c5a040> because it is not registered as an observer.'
      *** First throw call stack:
      (0x1a2b3c4d 0x1a2b3c4e 0x1a2b3c4f 0x1a2b3c50)
      libc++abi.dylib: terminating with uncaught exception of type NSException
      """
    },
    Sample("Crashlytics", plain) {
      """
      Fatal Exception: NSRangeException
      Cannot remove an observer <GaugeView 0x15fd2c3a0> for the key path "level" from <Meter 0x170a3b1c0> because it is not registered as an observer.

      Fatal Exception: NSRangeException
      0  CoreFoundation                 0x18a8e11d8 __exceptionPreprocess
      1  libobjc.A.dylib                0x18931855c objc_exception_throw
      2  Foundation                     0x18b2a21e4 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]
      3  Gauges                         0x1000a2f3c -[GaugeView dealloc] (GaugeView.m:88)
      """
    },
    Sample("Xcode's annotation of a line", plain) {
      #"Thread 1: "Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path \"level\" from <Meter 0x600002c5a040> because it is not registered as an observer.""#
    },
    Sample("a failure of XCTest", plain) {
      #"/Users/me/Gauges/GaugeTests.m:41: error: -[GaugeTests testClose] : failed: caught "NSRangeException", "Cannot remove an observer <GaugeView 0x10040a2b0> for the key path "level" from <Meter 0x10040aa10> because it is not registered as an observer.""#
    },
    Sample("a device's system log", plain) {
      #"Mar  3 10:28:05 iPhone Gauges[187] <Error>: *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0xf17d570> for the key path "level" from <Meter 0xf277b30> because it is not registered as an observer.'"#
    },
    Sample("re-wrapped in a comment of the source", plain) {
      """
      // crashes here since 2.1: Cannot remove an observer <GaugeView
      // 0x7fe1c0d0b2a0> for the key path "level" from
      //   <Meter 0x600002c5a040> because it is not
      // registered as an observer.
      """
    },
    Sample("re-wrapped in the middle of a class's name", plain) {
      """
      Cannot remove an observer <Gauge
      View 0x1a0> for the key path "level" from <Me
      ter: 0x2b0> because it is not registered as an observer.
      """
    },
    Sample("a page that lost its angle brackets", "KVO002 ?.level < ?") {
      #"Cannot remove an observer  for the key path "level" from  because it is not registered as an observer."#
    },
    Sample("entities of HTML", plain) {
      "<p>Cannot remove an observer &lt;GaugeView 0x7fe1c0d0b2a0&gt; for the key path&nbsp;&quot;level&quot; from &lt;Meter 0x600002c5a040&gt; because<br/>it is not registered as an observer.</p>"
    },
    Sample("smart quotes and a quotation", plain) {
      """
      > Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path “level” from <Meter
      > 0x600002c5a040> because it is not registered as an observer.
      """
    },
    Sample("a table", plain) {
      #"| NSRangeException | Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path "level" from <Meter 0x600002c5a040> because it is not registered as an observer. | 12 |"#
    },
    Sample("masked objects", "KVO002 ****.level < xxx") {
      #"Cannot remove an observer <xxx 0xxxxxxxx> for the key path "level" from <**** 0x****> because it is not registered as an observer."#
    },
    Sample(
      "types of Swift, with their module and mangled",
      "KVO002 Gauges.Meter.level < Gauges.GaugeView"
    ) {
      #"Cannot remove an observer <Gauges.GaugeView 0x7fe1c0d0b2a0> for the key path "level" from <_TtC6Gauges5Meter 0x600002c5a040> because it is not registered as an observer."#
    },
    Sample("cut before its end", "KVO002 ?.level < GaugeView") {
      #"Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for the key path "level" fro"#
    },
    Sample("a title without addresses", "KVO002 ?.level < GaugeView") {
      #"Crash: Cannot remove an observer <GaugeView> for the key path "level""#
    },
    Sample("quotation marks twice, backslashes of Markdown", plain) {
      #"Cannot remove an observer \<GaugeView 0x136848600\> for the key path ""level"" from \<Meter 0x135e22e60\> because it is not registered as an observer."#
    },
    Sample("a token of Swift", "KVO002 Meter.level < _NSKeyValueObservation") {
      #"Cannot remove an observer <_NSKeyValueObservation 0x282f97810> for the key path "level" from <Meter 0x28213c9e0> because it is not registered as an observer."#
    },
    Sample("line numbers of an editor", plain) {
      """
        12: Cannot remove an observer <GaugeView 0x7fe1c0d0b2a0> for
        13: the key path "level" from <Meter 0x600002c5a040> because it is not
        14: registered as an observer.
      """
    },
    Sample("GNUstep", "KVO002 Meter.level < GaugeView") {
      #"Uncaught exception NSInvalidArgumentException, reason: Cannot remove observer <GaugeView: 0x55d0c8a2> for keypath "level" from <Meter: 0x55d0c8f0> as it is not a registered observer."#
    },
    Sample("GNUstep 1.28, which lacks the method", "KVO003~ Meter.? < ?") {
      "Uncaught exception NSInvalidArgumentException, reason: GSKVOMeter(instance) does not recognize removeObserver:forKeyPath:context:"
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("another range exception") {
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: '*** -[__NSArrayM objectAtIndex:]: index 3 beyond bounds [0 .. 2]'"
    },
    Sample("prose about removing") {
      "You must not call removeObserver:forKeyPath: twice, or you cannot remove an observer for the key path safely. See addObserver:forKeyPath:options:context:."
    },
    Sample("a notification centre") {
      "[[NSNotificationCenter defaultCenter] removeObserver:self name:@\"level\" object:nil]; // cannot remove an observer twice"
    },
    Sample("source that makes the message") {
      ##"[NSException raise:NSRangeException format:@"Cannot remove an observer <%@ %p> for the key path \"%@\" from <%@ %p> because it is not registered as an observer."];"##
    },
    Sample("prose that quotes half of it") {
      #"I get the "Cannot remove an observer" exception because it is not registered as an observer, why?"#
    },
    Sample("a removal that a database refuses") {
      "Error: cannot remove an observer for table accounts: no such trigger"
    },
    Sample("an observer of another framework") {
      "ERROR: Cannot remove observer: stream already closed (RxJava)"
    },
    Sample("another invalid argument") {
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[Meter removeObserver:]: unrecognized selector sent to instance 0x600002c5a040'"
    },
    Sample("a stack that removes, of another exception") {
      """
      *** Terminating app due to uncaught exception 'NSGenericException', reason: '*** Collection <__NSSetM: 0x600000> was mutated while being enumerated.'
      *** First throw call stack:
      (
      \t0   CoreFoundation   0x000000010efa11e6 __exceptionPreprocess + 294
      \t1   libobjc.A.dylib  0x000000010e636031 objc_exception_throw + 48
      \t2   Foundation       0x000000010e061c03 -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:] + 84
      \t3   Gauges           0x000000010dd2de9c -[GaugeView dealloc] + 172
      )
      """
    },
    Sample("the census of an object in the debugger") {
      "(lldb) po [meter observationInfo]\n<NSKeyValueObservationInfo 0x600000> (\n<NSKeyValueObservance 0x600001: Observer: 0x600002, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x600003>\n)"
    },
  ]
}
