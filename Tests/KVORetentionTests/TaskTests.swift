import KVORecorder
import KVORetainRegistry
import KVOSymbols
import KVOTrace
import TestSupport
import Testing

@testable import KVORetention
@testable import RetentionProbe

/// The forms in which applications keep screens alive by tasks.
@Suite("Waiting tasks", .serialized)
struct TaskTests {
  // Unsafe: the tests of this suite run one after the other.
  private nonisolated(unsafe) static let names = CodeNames(
    resolver: DwarfFrameResolver(),
    images: LoadedImages.all
  )

  /// Whether a line is one of a form, or of the methods that the forms call, which precede them.
  private static func isOf(_ form: TaskForm, _ line: Int) -> Bool {
    let first = TaskForm.all.filter { $0.file == form.file }.map(\.line).min() ?? 0
    return line < first || lines(of: form).contains(line)
  }

  /// The lines of a form: from its own to the next one's.
  private static func lines(of form: TaskForm) -> Range<Int> {
    let next = TaskForm.all.filter { $0.file == form.file && $0.line > form.line }.map(\.line).min()
    return form.line..<(next ?? form.line + 60)
  }

  /// Whether a text has a line of the form.
  private static func names(_ form: TaskForm, _ text: String) -> Bool {
    let lines = text.matches(of: #/(TaskForms[^:]*):(\d+)/#).compactMap { match in
      String(match.1) == form.file ? Int(match.2) : nil
    }
    return lines.contains { isOf(form, $0) }
  }

  /// In a process of its own, as other tests have many tasks; weak references decide which forms leak.
  @Test("the tasks of 31 forms are found, and no cycle is drawn through a correct twin")
  func forms() throws {
    #expect(Set(TaskForm.all.map(\.name)).count == 31)
    let run = try ProgramRun(try ProgramRun.built("RetentionProbe"), ["tasks"])
    #expect(run.status == 0, "\(run.output)\(run.complaint)")
    let sums = run.output.split(separator: "\n").last.map(String.init)
    #expect(
      sums
        == "tasks\t31\tleaks 31\tproven 27\tsuspected 3\tmissed 0\twrong 0\tsuspected twins 0",
      "\(run.output)"
    )
  }

  @Test("tasks that continue and end while they are read do no harm, and are not reported")
  func busy() throws {
    let run = try ProgramRun(
      try ProgramRun.built("RetentionProbe"),
      ["tasks-busy", "\(Rounds.count(8))"]
    )
    #expect(run.status == 0, "\(run.output)\(run.complaint)")
    let fields = run.output.split(separator: "\n").last?.split(separator: "\t")
    #expect(fields?.first == "busy" && fields?.last == "0", "\(run.output)")
  }

  /// All in the long form, which `make long-forms` runs in a release build; otherwise every tenth, and those that need the
  /// line of a later instruction.
  private static let named = TaskForm.all.enumerated().filter { form in
    Rounds.includes(form.offset - 2, every: 10) || form.element.name.hasPrefix("values that")
  }.map(\.element)

  /// How many searches may come before the tasks of a test wait.
  private static let patience = 2_000

  @Test(
    "a task that keeps a screen alive is named by a line of its form, and its twin is not drawn",
    arguments: named
  )
  func lines(form: TaskForm) async {
    // The debug information is read here, and copies of the process inherit it.
    _ = Self.names.frames(atInstruction: 1)
    @Sendable
    func cycles(_ screen: TaskScreen) -> RetainAnswer {
      RetainSearch().findCycles(from: [screen], names: Self.names)
    }
    let outcome = await form.outcome(
      leaks: true,
      cycles: cycles,
      tasks: { form.isStored ? nil : RetainSearch().findTasks(holding: $0, names: Self.names) }
    )
    #expect(outcome.leaks)
    let holders = outcome.holders?.holders ?? []
    let paths = outcome.drawn.map(\.description) + holders.map(\.description)
    #expect(paths.contains { Self.names(form, $0) }, "\(outcome.answer), \(paths)")
    let twin = await form.outcome(leaks: false, cycles: cycles)
    #expect(!twin.leaks && twin.drawn.isEmpty, "\(twin.answer)")
  }

  /// Has an unowned reference, as KVOSafety has to each object that observes or is observed.
  private final class Onlooker: Sendable {
    unowned let screen: TaskScreen
    init(_ screen: TaskScreen) { self.screen = screen }
  }

  @Test("a task whose frames alone have a screen is found beside unowned references")
  func unownedReferences() async throws {
    let name = "a weak capture, unwrapped before the loop"
    let form = try #require(TaskForm.all.first { $0.name == name })
    let outcome = await form.outcome(
      leaks: true,
      cycles: { screen in
        let onlookers = [Onlooker(screen)]
        return withExtendedLifetime(onlookers) { RetainSearch().findCycles(from: screen) }
      },
      tasks: { screen in
        let onlookers = [Onlooker(screen)]
        return withExtendedLifetime(onlookers) { RetainSearch().findTasks(holding: screen) }
      }
    )
    #expect(outcome.leaks)
    let isDrawn = !outcome.drawn.isEmpty
    let isHeld = outcome.holders?.holders.isEmpty == false
    #if DEBUG
    #expect(isDrawn && isHeld, "\(outcome.answer), \(String(describing: outcome.holders))")
    #else
    // As for the other forms, in optimized code one of them is enough.
    #expect(isDrawn || isHeld, "\(outcome.answer), \(String(describing: outcome.holders))")
    #endif
  }

  @Test("a screen that is mounted 50 times is held by 50 tasks of one line")
  func remounted() async throws {
    let feed = Feed()
    defer { feed.finish() }
    let screen = TaskScreen(feed)
    for _ in 0..<50 {
      let values = feed.values()
      Task { for await value in values { screen.show(value) } }
    }
    await feed.untilShown(50)
    var tasks = RetainSearch().findTasks(holding: screen, names: Self.names)
    for _ in 0..<Self.patience where tasks.holders.filter(\.isProven).map(\.count) != [50] {
      try await Task.sleep(nanoseconds: 1_000_000)
      tasks = RetainSearch().findTasks(holding: screen, names: Self.names)
    }
    #expect(tasks.holders.filter(\.isProven).map(\.count) == [50], "\(tasks)")
    #expect(tasks.isComplete, "\(tasks)")
    #expect("\(tasks)".contains("(50 tasks)") && "\(tasks)".contains("TaskTests.swift:"))
  }

  /// The first frame follows the result, whose size and alignment vary.
  @Test("the closure of a task is found whatever its result is")
  func results() async {
    func check<Value: Sendable>(_ start: (TaskScreen, Feed) -> Task<Value, Never>) async {
      let feed = Feed()
      let screen = TaskScreen(feed)
      let task = start(screen, feed)
      let holder = Holder()
      holder.anything = task
      screen.later = { use(holder) }
      var answer = RetainSearch().findCycles(from: screen)
      for _ in 0..<Self.patience where !answer.taskCycles.contains(where: \.isProven) {
        try? await Task.sleep(nanoseconds: 1_000_000)
        answer = RetainSearch().findCycles(from: screen)
      }
      #expect(answer.taskCycles.contains { $0.isProven }, "\(Value.self): \(answer)")
      feed.finish()
      _ = await task.value
      screen.later = nil
    }
    func wait(_ screen: TaskScreen, _ feed: Feed) async {
      screen.show(1)
      await feed.end()
    }
    await check { screen, feed in Task { await wait(screen, feed) } }
    await check { screen, feed in
      Task {
        await wait(screen, feed)
        return true
      }
    }
    await check { screen, feed in
      Task {
        await wait(screen, feed)
        return "text"
      }
    }
    await check { screen, feed in
      Task {
        await wait(screen, feed)
        return (1, "text", 2.5, UInt8(1))
      }
    }
    await check { screen, feed in
      Task {
        await wait(screen, feed)
        return SIMD8<Double>(repeating: 1)
      }
    }
    await check { screen, feed in
      Task { () -> Int? in
        await wait(screen, feed)
        return nil
      }
    }
  }
}
