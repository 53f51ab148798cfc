import Glibc
import Testing

@testable import KVORetention
@testable import RetentionProbe

@Suite("Growth of what is kept", .serialized)
struct GrowthTests {
  private final class Page {
    let number: Int
    var onClose: (() -> Void)?
    init(_ number: Int) { self.number = number }
  }

  private final class Router {
    var pages: [Page] = []
    var latest: Page?
    var isForgetful = false

    func open() {
      let page = Page(pages.count)
      latest = page
      if isForgetful { pages.append(page) }
    }
  }

  @Test("what a router forgets to let go of grows, and the router is named")
  func kept() {
    let router = Router()
    router.isForgetful = true
    let growth = RetainSearch().findGrowth(of: Page.self, from: router) { router.open() }
    #expect(
      growth.description == """
        1 class grows with each of 4 repetitions
          Page: 1, 2, 3, 4 more alive
            kept by Router.pages[…] → Page (3 of 4)
            kept by Router.latest → Page (1 of 4)
        """
    )
  }

  @Test("what is replaced does not grow")
  func replaced() {
    let router = Router()
    let growth = RetainSearch().findGrowth(of: Page.self, from: router) { router.open() }
    #expect(growth.description == "no class grows")
  }

  @Test("what keeps itself alive grows, though nothing leads to it")
  func cycle() {
    let growth = RetainSearch().findGrowth(of: Page.self, repetitions: 3) {
      let page = Page(1)
      page.onClose = { use(page) }
    }
    #expect(
      growth.description == """
        1 class grows with each of 3 repetitions
          Page: 1, 2, 3 more alive
            kept by the cycle Page.onClose → closure capture of Page → Page (3 of 3)
        """
    )
  }

  @Test("what is kept from elsewhere is counted, and said to be")
  func elsewhere() {
    let router = Router()
    router.isForgetful = true
    let growth = RetainSearch().findGrowth(of: Page.self, repetitions: 2) { router.open() }
    #expect(growth.classes.map(\.counts) == [[1, 2]])
    #expect(growth.classes.first?.keepers.map(\.kind) == [.unknown])
    withExtendedLifetime(router) {}
  }

  @Test("a cache that is filled once does not grow, nor what a repetition leaves out")
  func once() {
    let router = Router()
    router.isForgetful = true
    var runCount = 0
    let growth = RetainSearch().findGrowth(of: Page.self, from: router) {
      runCount += 1
      if runCount != 3 { router.open() }
    }
    #expect(growth.classes == [])
    #expect(runCount == 5)
  }

  @Test("memory is read from /proc where the call for it is refused", arguments: [true, false])
  func fallback(isForgetful: Bool) {
    let router = Router()
    router.isForgetful = isForgetful
    let growth = RetainSearch().findGrowth(
      of: [Page.self],
      from: [router],
      repetitions: 2,
      names: nil,
      ways: [.file],
      by: { router.open() }
    )
    #expect(growth.verdict == (isForgetful ? .grows : .noneFound))
    #expect(growth.classes.map(\.counts) == (isForgetful ? [[1, 2]] : []))
  }

  @Test("where memory cannot be read nothing is claimed, and the work is done all the same")
  func refused() {
    let router = Router()
    router.isForgetful = true
    let growth = RetainSearch().findGrowth(
      of: [Page.self],
      from: [router],
      repetitions: 2,
      names: nil,
      ways: [],
      by: { router.open() }
    )
    #expect(growth.verdict == .inconclusive)
    #expect(growth.classes == [])
    #expect(
      growth.description == """
        not known which classes grow: this process may not read its own memory, by process_vm_readv \
        or /proc/self/mem
        """
    )
    #expect(router.pages.count == 3)
  }

  @Test("a copy ends where memory does", arguments: [MemoryCopy.Way.call, .file])
  func copy(way: MemoryCopy.Way) throws {
    let copy = try #require(MemoryCopy([way]))
    let page = 4096
    let pages = try #require(
      mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    )
    munmap(pages + page, page)
    defer { munmap(pages, page) }
    memset(pages, 7, page)
    var bytes = [UInt8](repeating: 0, count: 100)
    let address = UInt(bitPattern: pages) + UInt(page)
    #expect(copy.copy(address - 60, to: &bytes, 100) == 60)
    #expect(bytes == Array(repeating: 7, count: 60) + Array(repeating: 0, count: 40))
    #expect(copy.copy(address, to: &bytes, 100) == 0)
    #expect(copy.copy(.max - 7, to: &bytes, 8) == 0)
  }

  @Test("asynchronous work that forgets to let go grows, work that does not does not")
  func asynchronous() async {
    let router = Router()
    router.isForgetful = true
    let growth = await RetainSearch().findGrowth(of: Page.self, from: router) {
      await Task.yield()
      router.open()
    }
    #expect(growth.classes.map(\.counts) == [[1, 2, 3, 4]])
    #expect(growth.classes.first?.keepers.map(\.kind) == [.root, .root])
    router.isForgetful = false
    let steady = await RetainSearch().findGrowth(of: Page.self, from: router, repetitions: 2) {
      await Task.yield()
      router.open()
    }
    #expect(steady.verdict == .noneFound)
  }

  @MainActor
  @Test("asynchronous work is done on the actor of who asks, and what it throws is thrown on")
  func isolated() async {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      try await RetainSearch().findGrowth(of: Page.self) { () async throws(Refusal) in
        MainActor.assertIsolated()
        await Task.yield()
        MainActor.assertIsolated()
        throw Refusal()
      }
    }
  }

  @Test("what the work throws is thrown on")
  func throwing() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try RetainSearch().findGrowth(of: Page.self) { throw Refusal() }
    }
  }

  @Test("instances of subclasses count as those of the class, others do not")
  func subclasses() {
    class Screen {}
    final class Detail: Screen {}
    final class Other { let screen = Screen() }
    var kept: [AnyObject] = []
    let growth = RetainSearch().findGrowth(of: Screen.self, repetitions: 2) {
      kept += [Detail(), Other()]
    }
    #expect(growth.classes.map(\.className) == ["Detail", "Screen"])
    kept = []
  }

  @Test("what an earlier search copied is not counted by a later one")
  func copied() {
    let router = Router()
    router.isForgetful = true
    // So that the allocator takes memory that a search gave back for the next one's copy.
    let room = (0..<64).map { _ in [UInt8](repeating: 0, count: 100_000) }
    use(room)
    for _ in 0..<4 {
      let growth = RetainSearch().findGrowth(of: Page.self, from: router, repetitions: 2) {
        router.open()
      }
      #expect(growth.classes.map(\.counts) == [[1, 2]])
    }
  }

  @Test("the scan leaves its own copy out, also where its heap grew for it")
  func ranges() {
    // The copy begins with the 8 bytes before its address.
    let size = UInt(InstanceScan.pieceByteCount)
    let (start, copy, end) = (0x10_0000 as UInt, 0x10_0008 as UInt, 0x10_0010 + size)
    let next = end - 16
    func ranges(_ lower: UInt, _ upper: UInt) -> [Range<UInt>] {
      InstanceScan.ranges(of: lower..<upper, without: copy)
    }
    #expect(ranges(start - 64, end + 64) == [start - 64..<start, next..<end + 64])
    #expect(ranges(start - 64, start + 64) == [start - 64..<start], "it ends inside")
    #expect(ranges(end - 64, end + 64) == [next..<end + 64], "it begins inside")
    #expect(ranges(start, next) == [], "it is the copy")
    #expect(ranges(start - 64, start) == [start - 64..<start], "it ends in front")
    #expect(ranges(end, end + 64) == [end..<end + 64], "it begins behind")
  }

  @Test("of many that were given back none is counted", arguments: [1, 7, 8, 100, 5000])
  func freed(count: Int) {
    final class Many { var words = (1, 2, 3, 4) }
    let growth = RetainSearch().findGrowth(of: Many.self, repetitions: 2) {
      let many = (0..<count).map { _ in Many() }
      use(many)
    }
    #expect(growth.classes == [])
  }

  @Test(
    "what looks like a class, with a superclass that is not one, is not followed",
    arguments: [0xdead_0000, 0x5000_0000_0008, 3, UInt.max]
  )
  func lookAlike(superclass: UInt) throws {
    // A copy of a class, as on the stack of a function that reads one, changed since.
    let words = UnsafeMutablePointer<UInt>.allocate(capacity: 12)
    let page = UInt(bitPattern: ObjectIdentifier(Page.self))
    words.initialize(from: try #require(UnsafePointer(bitPattern: page)), count: 12)
    words[1] = superclass
    let object = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    object.storeBytes(of: UInt(bitPattern: words), as: UInt.self)
    object.storeBytes(of: 3, toByteOffset: 8, as: UInt.self)
    defer {
      object.deallocate()
      words.deallocate()
    }
    let router = Router()
    let growth = RetainSearch().findGrowth(of: Page.self, from: router) { router.open() }
    #expect(growth.classes == [])
  }
}
