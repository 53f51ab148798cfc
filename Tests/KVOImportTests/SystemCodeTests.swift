import KVORules
import Testing

@testable import KVOImport

/// What is the system's, and what only looks like it.
@Suite("Functions and classes of the system") struct SystemCodeTests {
  private func own(_ text: String) -> String? {
    Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol
  }

  @Test("functions of the system are not the user's, also without an image")
  func functions() {
    let retains =
      "KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_IF_IT_CRASHES_AN_OBSERVER_WAS_OVERRELEASED_OR_SMASHED"
    #expect(
      own(
        "Thread 1: EXC_BAD_ACCESS (code=1, address=0x1c)\n#0\t0x1 in objc_msgSend ()\n#1\t0x2 in \(retains) ()\n"
          + "#2\t0x3 in CAAnimation_setter ()\n#3\t0x4 in -[Model setTotal:] ()\n"
      ) == "-[Model setTotal:]"
    )
    #expect(
      own(
        "Thread 1: EXC_BAD_ACCESS (code=1, address=0x1c)\n#0\t0x1 in _NSKeyValueObservationInfoGetObservances ()\n"
          + "#1\t0x2 in -[CFPrefsSource forEachObserver:] ()\n#2\t0x3 in -[Settings save] ()\n"
      ) == "-[Settings save]"
    )
  }

  @Test("what handles a signal is above the crash")
  func handler() {
    #expect(
      own(
        "Thread 0 Crashed:\n0   Engine  0x1 HandleSignal(int) + 36\n1   libsystem_platform.dylib  0x2 _sigtramp + 29\n"
          + "2   Foundation  0x3 NSKeyValueNotifyObserver + 4\n3   Foundation  0x4 NSKeyValueDidChange + 4\n"
          + "4   Gauges  0x5 -[Meter setLevel:] + 4\n\nException Type: EXC_BAD_ACCESS (SIGSEGV)\n"
      ) == "-[Meter setLevel:]"
    )
  }

  @Test("a prefix does not make a class the system's")
  func classes() {
    for name in [
      "MPOLivePhotoVideoLayer", "PKRevealController", "CNPPopupController", "UIPlaceHolderTextView",
      "AVCamCaptureManager", "MKStoreManager", "CLAccount", "HKWebView", "WKWebViewController",
      "NSKVONotifying_Meter", "Gauges.UIView",
    ] {
      #expect(!SystemClass.isOne(name), "\(name)")
    }
    for name in [
      "AVPlayerItem", "CALayer", "UIScrollView", "NSOperation", "__NSCFConstantString", "WKWebView",
    ] {
      #expect(SystemClass.isOne(name), "\(name)")
    }
  }
}
