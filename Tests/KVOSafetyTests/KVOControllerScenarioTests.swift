import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of FBKVOControllerTests/FBKVOControllerTests.m in facebookarchive/KVOController (1ee5648), with what
// that file expects; the reference observer there is one of the classic form here.

private let context = ObservationContext("reference")
private let basic: ObservingOptions = [.new, .old, .initial]

private final class Disc: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("radius", \Disc.radius),
    ObservableKey("border", \Disc.border)
  )
  var radius = 0.0 {
    willSet { willChangeValue(for: \.radius) }
    didSet { didChangeValue(for: \.radius) }
  }
  var border = 0.0 {
    willSet { willChangeValue(for: \.border) }
    didSet { didChangeValue(for: \.border) }
  }
}

private final class Screen: Listener {
  var callCount = 0
  var objects: [ObjectIdentifier] = []
  var contexts: [ObservationContext?] = []

  func changed() { callCount += 1 }
  func radiusChanged(_ change: ObservedChange<Double>) { heard.append(line("radius", change)) }
  func radiusChanged(_ change: ObservedChange<Double>, of disc: Disc) {
    objects.append(ObjectIdentifier(disc))
    heard.append(line("radius", change))
  }

  override func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    objects.append(ObjectIdentifier(object))
    contexts.append(context)
    return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
  }
}

@Suite("KVOController's scenarios: each style is notified like a classic observer")
struct KVOControllerScenarioTests {
  private let disc = Disc()
  private let screen = Screen()
  private let reference = Screen()
  private let controller: ObservationController<Screen>

  init() { controller = ObservationController(owner: screen) }

  private func withReference(_ options: ObservingOptions, _ body: () -> Void) {
    disc.addObserver(reference, forKeyPath: "radius", options: options, context: context)
    body()
    disc.removeObserver(reference, forKeyPath: "radius", context: context)
  }

  @Test("a closure: owner, object, key path and change, at first and after a change")
  func blockOptionsBasic() {
    var lines: [String] = []
    withReference(basic) {
      controller.observe(disc, keyPaths: ["radius"], options: basic) { owner, object, path, new in
        #expect(owner === screen && object === disc)
        lines.append(line(path, new))
      }
      #expect(lines == ["radius setting to 0.0"])
      #expect(lines == reference.heard)
      disc.radius = 1
    }
    #expect(lines == ["radius setting to 0.0", "radius setting from 0.0 to 1.0"])
    #expect(lines == reference.heard)
  }

  @Test(
    "the owner's own method, without options, with values, and with all",
    arguments: [([], 1), (basic, 2), (basic.union(.prior), 3)] as [(ObservingOptions, Int)]
  )
  func contextStyle(options: ObservingOptions, count: Int) {
    disc.radius = 1
    withReference(options) {
      controller.observe(disc, keyPath: "radius", options: options, context: context)
      #expect(screen.heard == reference.heard)
      disc.radius = 2
    }
    #expect(screen.heard.count == count)
    #expect(screen.heard == reference.heard)
    #expect(screen.objects == reference.objects)
    #expect(screen.contexts == reference.contexts)
  }

  @Test("a method with nothing, with the change, and with the change and the object")
  func customActions() {
    withReference(basic) {
      let nothing = Screen.changed as (Screen) -> () -> Void
      controller.observe(disc, \.radius, options: basic, action: nothing)
      #expect(screen.callCount == 1)
      disc.radius = 1
      #expect(screen.callCount == 2)
      controller.unobserveAll()
      reference.heard = []
    }
    let withChange = Screen.radiusChanged as (Screen) -> (ObservedChange<Double>) -> Void
    let withObject = Screen.radiusChanged as (Screen) -> (ObservedChange<Double>, Disc) -> Void
    for isObjectWanted in [false, true] {
      screen.heard = []
      reference.heard = []
      withReference(basic) {
        if isObjectWanted {
          controller.observe(disc, \.radius, options: basic, action: withObject)
        } else {
          controller.observe(disc, \.radius, options: basic, action: withChange)
        }
        #expect(screen.heard == reference.heard)
        disc.radius = 2
        #expect(screen.heard == reference.heard)
        #expect(screen.heard.count == 2)
      }
      controller.unobserve(disc)
    }
    #expect(screen.objects == [ObjectIdentifier(disc), ObjectIdentifier(disc)])
  }
}
