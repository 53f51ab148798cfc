// One row a line, so that rows compare at a glance.
// swift-format-ignore-file

/// Logs that date every line, several crashes in one text, reports of old systems, and code beside them.
///
/// The texts are of our own, in the form that issues, logs of build services and exports have.
enum GatheredForms {
  private static let removal = #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer."#
  private static let unhandled = ["<GaugeView: 0x1a0>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.", "Key path: level", "Observed object: <Meter: 0x2b0>", "Change: {", "    kind = 1;", "}", "Context: 0x0"]
  private static let death = ["*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x3c0> (", "<NSKeyValueObservance 0x3c1: Observer: 0x3c2, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x3c3>", ")'"]

  private static func logged(_ lines: [String], _ prefix: String) -> String { lines.map { prefix + $0 + "\n" }.joined() }

  /// A crash as Crashlytics shows it.
  private static func crash(_ functions: String..., address: String = "10") -> String {
    "Crashed: com.apple.main-thread\nEXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x00000000000000\(address)\n"
      + functions.enumerated().map { "\($0)  \($1.contains("Meter") ? "Gauges" : $0 == 0 ? "libobjc.A.dylib" : "Foundation")  0x1859004\(address) \($1) + \($0 + 16)\n" }.joined()
  }

  private static func raised(_ name: String, _ reason: String, _ functions: String...) -> String {
    "Fatal Exception: \(name)\n\(reason)0  CoreFoundation  0x182da6e38 __exceptionPreprocess\n1  libobjc.A.dylib  0x18240bf80 objc_exception_throw\n"
      + functions.enumerated().map { "\($0 + 2)  \($1.contains("GaugeView") ? "Gauges" : "Foundation")  0x1836c79f8 \($1)\n" }.joined()
  }

  private static let delivery = crash("objc_msgSend", "NSKeyValueNotifyObserver", "NSKeyValueDidChange", "-[Meter setLevel:]")
  private static let clearing = crash("objc_msgSend", "NSKVODeallocate", "-[Meter close]", address: "20")
  private static let removing = "-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]"

  private static let head = #"{"app_name":"Gauges","timestamp":"2016-01-02 03:04:05.00 +0000","app_version":"1.0","bug_type":"109","os_version":"iPhone OS 9.3 (13E233)","name":"Gauges"}"# + "\n"

  /// A report of the oldest `.ips` form, after its head.
  static func oldReport(_ functions: String...) -> String {
    head + "Incident Identifier: 0A\nProcess:             Gauges [12]\nVersion:             1.0\nOS Version:          iOS 9.3 (13E233)\nException Type:  EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0 Crashed:\n"
      + functions.enumerated().map { "\($0)   \($1.contains("Meter") ? "Gauges" : $0 == 0 ? "libobjc.A.dylib" : "Foundation")  0x0000000180f61bd\($0) \($1) + 16\n" }.joined()
  }

  static let faults: [Sample] = [
    Sample("a sentence over several lines of syslog", "KVO002 Meter.level < GaugeView") { logged(["*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer", #"<GaugeView 0x1a0> for the key path "level" from"#, "<Meter 0x2b0> because it is not registered as an observer.'"], "Mar  4 10:11:12 iPhone Gauges[123] <Error>: ") },
    Sample("details in lines of syslog", "KVO017 Meter.level < GaugeView") { logged(unhandled, "Mar  4 10:11:12 iPhone Gauges(Foundation)[123] <Notice>: ") },
    Sample("details in lines of a journal", "KVO017 Meter.level < GaugeView") { logged(unhandled, "Mar 04 10:11:12 host gauges[123]: ") },
    Sample("details in lines of NSLog", "KVO017 Meter.level < GaugeView") { logged(unhandled, "2020-05-04 10:11:12.345678+0200 Gauges[123:4567] ") },
    Sample("details in lines of a build service", "KVO017 Meter.level < GaugeView") { logged(unhandled, "2023-05-04T10:11:12.1334568Z ") },
    Sample("an object without its address is no level", "KVO017 ?.level < GaugeView") { "2020-05-04 10:11:12.345 Gauges[123:4567] <GaugeView>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.\nKey path: level\n" },
    Sample("a list in lines of a build tool with a bullet", "KVO006 Meter.level < ?") { logged(death, "[10:11:12]: ▸ ") },
    Sample("a log inside a log", "KVO006 Meter.level < ?") { logged(death, "2023-05-04T10:11:12.1334567Z 2023-05-04 10:11:12.133 Gauges[12:34] ") },
    Sample("an exception, then a bad access", "KVO002 Meter.level < GaugeView", "KVO008 ?.? < ?") { raised("NSRangeException", removal + "\n", removing, "-[GaugeView dealloc]") + "\nand the second:\n\n" + delivery },
    Sample("an exception of another kind, then a bad access", "KVO008 ?.? < ?") { raised("NSInvalidArgumentException", "-[Meter frob]: unrecognized selector sent to instance 0x17\n", "-[NSObject(NSObject) doesNotRecognizeSelector:]", "-[GaugeView dealloc]") + "\nAnd also:\n\n" + delivery },
    Sample("two bad accesses", "KVO008 ?.? < ?", "KVO006~ ?.? < ?") { "Crash 1:\n" + delivery + "\nCrash 2:\n" + clearing },
    Sample("one bad access twice", "KVO008 ?.? < ?") { "Crash 1:\n" + delivery + "\nCrash 2:\n" + delivery },
    Sample("two exceptions without words", "KVO002 ?.? < ?", "KVO017 ?.? < GaugeView") { raised("NSRangeException", "", removing, "-[GaugeView dealloc]") + "\nAnother one:\n\n" + raised("NSInternalInconsistencyException", "", "-[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:]", "-[GaugeView observeValueForKeyPath:ofObject:change:context:]", "NSKeyValueNotifyObserver") },
    Sample("one exception with and without its words", "KVO002 Meter.level < GaugeView") { "'NSRangeException', reason: '\(removal)'\n(0x2a9e6fef 0x3908ac8b 0x2a9e6f35 0x2b6850f5)\n\nLast Exception Backtrace:\n0  CoreFoundation  0x2a9e6fef __exceptionPreprocess + 126\n1  libobjc.A.dylib  0x3908ac8b objc_exception_throw + 38\n2  Foundation  0x2a9e6f35 \(removing) + 4\n3  Gauges  0x2b6850f5 -[GaugeView dealloc] + 9\n" },
    Sample("two of the oldest reports in one file", "KVO008 ?.? < ?", "KVO006~ ?.? < ?") { oldReport("objc_msgSend", "NSKeyValueNotifyObserver", "-[Meter setLevel:]") + oldReport("objc_msgSend", "NSKVODeallocate", "-[Meter close]") },
    Sample("Mac OS X 10.4", "KVO006 Meter.? < ?") { "2007-03-04 10:11:12.345 Gauges[812] An instance 0x2b0 of class Meter is being deallocated while key value observers are still registered with it.  Break on _NSKVODeallocateLog to start debugging.\n" },
    Sample("AppKit before an application's object is deallocated", "KVO006 NSRunningApplication.activationPolicy < ?", "KVO006 NSRunningApplication.hidden < ?") { "2020-05-28 16:58:47.681 gauges[60797:1677803] The object <NSRunningApplication: 0x7f903db1af50 ((null) - 61484) LSASN:{hi=0x0;lo=0x1205204}> is being deallocated while observers are still registered with it.  A crash in the future is likely.  Someone is observing the following property or properties: activationPolicy, hidden.\n" },
    Sample("AppKit, then the exception", "KVO006 NSRunningApplication.activationPolicy < ?") { "2020-05-28 16:58:47.681 gauges[60797:1677803] The object <NSRunningApplication: 0x7f9 ((null) - 61484)> is being deallocated while observers are still registered with it.  A crash in the future is likely.  Someone is observing the following property or properties: activationPolicy.\n2020-05-28 16:58:47.685 gauges[60797:1677803] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x7f9 of class NSRunningApplication was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x7f8> (\n<NSKeyValueObservance 0x7f7: Observer: 0x7f6, Key path: activationPolicy, Options: <New: YES, Old: NO, Prior: NO> Context: 0x7f5, Property: 0x7f4>\n)'\n" },
    Sample("an event with the code around its frames", "KVO002 Meter.level < GaugeView") { #"{"platform":"cocoa","exception":{"values":[{"type":"NSRangeException","value":"Cannot remove an observer <GaugeView 0x1a0> for the key path \"level\" from <Meter 0x2b0> because it is not registered as an observer.","stacktrace":{"frames":[{"function":"-[GaugeView dealloc]","package":"/x/Gauges","lineno":33,"pre_context":["  An instance 0x7f9 of class Shelf was deallocated while key value observers were still registered with it"],"context_line":"  [meter removeObserver:self forKeyPath:@\"level\"];"},{"function":"objc_exception_throw","package":"/usr/lib/libobjc.A.dylib"}]}}]}}"# },
    Sample("the output of a notebook's cell", "KVO002 Meter.level < GaugeView") { #"{"cells":[{"cell_type":"code","source":["run()"],"outputs":[{"text":["Cannot remove an observer <GaugeView 0x1a0> for the key path \"level\" from <Meter 0x2b0> because it is not registered as an observer.\n"]}]}],"nbformat":4}"# },
    Sample("a test that expected nothing to be raised", "KVO002 Meter.level < GaugeView") { "GaugeTests.swift:12: error: -[GaugeTests testRemoval] : expected to not raise any exception, got NSException { name=NSRangeException; reason='\(removal)' }\n" },
    Sample("a test that expected another exception", "KVO002 Meter.level < GaugeView") { "GaugeTests.swift:12: error: -[GaugeTests testRemoval] : expected to raise exception with name equal to <A>, got NSException { name=NSRangeException; reason='\(removal)' }\n" },
    Sample("code above, then the log in another block", "KVO002 Meter.level < GaugeView") { "```objc\n- (void)dealloc {\n  [self.meter removeObserver:self forKeyPath:@\"level\"];\n}\n```\n\nIt prints:\n\n// \(removal)\n" },
  ]

  static let lookAlikes: [Sample] = [
    Sample("a comment between variables and the end of their block") { "//  Meter.m\n\n#import \"Meter.h\"\n\nstatic int kLevel ;\n\n@implementation GaugeWatcher{\n    __unsafe_unretained Meter *_meter;\n    /**\n     *  if it is '__weak'\n     *  'An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it\n     */\n}\n\n-(void)dealloc{\n    NSLog(@\"dealloc\");\n}\n" },
    Sample("a comment in a list") { "    NSSet* const keys = [NSSet setWithObjects:\n      levelKey,\n      // @\"meter.level\",\n      /* Removed, because of this message:\n       \"\(removal)\"\n       • Open a document\n       */\n      nil] ;\n" },
    Sample("a comment after a method, far from other code") { "- (id)levelForKey:(NSString *)key {\n  return [self valueForKey:key];\n}\n\n// From a mailing list:\n\n// Kept here, so that it is found.\n\n//'NSRangeException', reason: 'Cannot remove an observer\n//<GaugeView 0x1a0> for the key path \"level\" from\n//<Meter 0x2b0> because it is not registered as an observer.'\n//\n//That is a real problem.\n" },
    Sample("a description of exceptions that no longer occur") { "It ends the observation. This means no more KVO exceptions like the following:\n`\"NSInternalInconsistencyException\", \"An instance 0xF00B400 of class XYZ was deallocated while key value observers were still registered with it.`\n" },
    Sample("a test that expected an exception and got none") { "GaugeTests.swift:12: error: -[GaugeTests testRemoval] : expected to raise exception with reason equal to <\(removal)>, got no exception\n" },
    Sample("the code of a notebook's cell") { #"{"cells":[{"cell_type":"code","source":["message = \"An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it\"\n","assert(parse(message) == 6)\n"]}],"nbformat":4}"# },
    Sample("prose about AppKit's words") { "After this the object can be deallocated without any warnings that it is being deallocated while observers are still registered with it.\n" },
    Sample("two crashes in the user's code below notifications") { crash("objc_msgSend", "-[Meter level]", "NSKeyValueNotifyObserver") + "\n" + crash("objc_msgSend", "-[Meter reset]", "NSKeyValueNotifyObserver", address: "20") },
    Sample("an exception inside a notification, and the thread it ended") { raised("NSInvalidArgumentException", "", "-[NSObject(NSObject) doesNotRecognizeSelector:]", "NSKeyValueWillChangeBySetMutation", "NSKeyValueWillChange", "-[GaugeView add]") + "\nCrashed: com.apple.main-thread\n0  Foundation  0x1 NSKeyValueWillChangeBySetMutation + 1\n1  Foundation  0x2 NSKeyValueWillChange + 2\n2  Gauges  0x3 -[GaugeView add] + 3\n" },
    Sample("one of the oldest reports, of the user's code") { oldReport("objc_msgSend", "-[Meter level]", "NSKeyValueNotifyObserver") },
  ]
}
