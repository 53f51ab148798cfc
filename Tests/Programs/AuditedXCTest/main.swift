// A test bundle of XCTest as a program: what the assertion and the observer make of its cases is read
// from its output.
import KVOSafety
import KVOSafetyTesting
import XCTest

final class Account: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("balance", \Account.balance))
  var balance = 0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }
}

final class Screen: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

func removeTwice() {
  let account = Account()
  let screen = Screen()
  account.addObserver(screen, forKeyPath: "balance")
  account.removeObserver(screen, forKeyPath: "balance")
  account.removeObserver(screen, forKeyPath: "balance")
}

final class AssertionTests: XCTestCase {
  func testPasses() {
    let account = Account()
    assertNoObservationViolations {
      account.observe(\.balance) { _, _ in }.invalidate()
    }
  }

  func testFails() {
    assertNoObservationViolations { removeTwice() }
  }

  func testExpects() {
    assertNoObservationViolations(expecting: .doubleRemove) { removeTwice() }
  }

  func testAsynchronous() async {
    let value = await assertNoObservationViolations(expecting: .doubleRemove) {
      await Task.yield()
      removeTwice()
      return 3
    }
    XCTAssertEqual(value, 3)
  }
}

final class ObservedTests: XCTestCase {
  private var account: Account?
  private var token: ObservationToken?

  override class func setUp() { ObservationAuditObserver.auditEveryTestCase() }

  override func tearDown() { token?.invalidate() }

  func testCleansUpInTearDown() {
    account = Account()
    token = account?.observe(\.balance) { _, _ in }
  }

  func testRemovesTwice() { removeTwice() }

  func testObservesNothing() {}
}

final class LaterTests: XCTestCase {
  func testRemovesTwice() { removeTwice() }
}

final class LeftTaskTests: XCTestCase {
  /// The task that the scope leaves removes twice after the end of the scope.
  func testLeaves() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let task = await assertNoObservationViolations(allowsNoObservations: true) {
      () async -> Task<Void, Never> in
      await Task.yield()
      return Task {
        for await _ in stream {}
        removeTwice()
      }
    }
    continuation.finish()
    await task.value
  }
}

var cases: [XCTestCaseEntry] = []
switch CommandLine.arguments.dropFirst().first {
case "assertions":
  cases = [
    testCase([
      ("testPasses", AssertionTests.testPasses), ("testFails", AssertionTests.testFails),
      ("testExpects", AssertionTests.testExpects),
      ("testAsynchronous", asyncTest(AssertionTests.testAsynchronous)),
    ])
  ]
case "late-deallocation":
  cases = [testCase([("testReleases", LateDeallocationTests.testReleases)])]
case "left-task":
  cases = [testCase([("testLeaves", asyncTest(LeftTaskTests.testLeaves))])]
case "readme-block":
  cases = [testCase([("testBlock", ReadmeAssertionTests.testBlock)])]
case "readme-asynchronous-block":
  cases = [
    testCase([("testAsynchronousBlock", asyncTest(ReadmeAssertionTests.testAsynchronousBlock))])
  ]
case "readme-bundle":
  cases = [testCase([("testCase", ReadmeBundleTests.testCase)])]
case "readme-cycles":
  cases = [testCase([("testCycles", ReadmeRetentionTests.testCycles)])]
case "readme-deallocates":
  cases = [testCase([("testDeallocates", ReadmeRetentionTests.testDeallocates)])]
case "readme-growth":
  cases = [testCase([("testGrowth", ReadmeRetentionTests.testGrowth)])]
case "readme-asynchronous-growth":
  cases = [
    testCase([
      ("testAsynchronousGrowth", asyncTest(ReadmeRetentionTests.testAsynchronousGrowth))
    ])
  ]
case "readme-audited-cycles":
  cases = [testCase([("testCycles", ReadmeAuditedRetentionTests.testCycles)])]
case "inconclusive":
  cases = [testCase([("testInconclusive", RetentionTests.testInconclusive)])]
case "retention":
  cases = [
    testCase([
      ("testCycles", RetentionTests.testCycles),
      ("testDeallocates", RetentionTests.testDeallocates),
      ("testGrowth", RetentionTests.testGrowth),
      ("testAsynchronousGrowth", asyncTest(RetentionTests.testAsynchronousGrowth)),
      ("testAsynchronousDeallocates", asyncTest(RetentionTests.testAsynchronousDeallocates)),
    ])
  ]
default:
  cases = [
    testCase([
      ("testCleansUpInTearDown", ObservedTests.testCleansUpInTearDown),
      ("testRemovesTwice", ObservedTests.testRemovesTwice),
      ("testObservesNothing", ObservedTests.testObservesNothing),
    ]),
    testCase([("testRemovesTwice", LaterTests.testRemovesTwice)]),
  ]
}
XCTMain(cases, arguments: [CommandLine.arguments[0]])
