import KVOFindings
import KVOTrace
import Testing

@testable import KVORules

/// Which mistakes around one key of one object are one finding of KVO012.
@Suite("Findings of unbalanced changes")
struct ImbalanceTests {
  /// The folded findings, each by how often it was seen, in brackets what follows from it.
  private func counts(_ log: SampleLog, recorded: Profile = .swift) -> [String] {
    let builder = FindingBuilder(names: log.names, profile: .swift, recorded: recorded)
    var folder = FindingFolder()
    for verdict in log.verdicts() { folder.add(builder.finding(for: verdict)) }
    return folder.findings.map { finding in
      let follow = finding.consequences.map { "\($0.count)" }.joined(separator: " ")
      return "\(finding.count)" + (follow.isEmpty ? "" : "[\(follow)]")
    }
  }

  /// A change that ends and never began, and one that begins and never ends.
  private static func kinds(stack: [String]) -> SampleLog {
    SampleLog {
      $0.did(stack: stack)
      $0.will(stack: stack)
      $0.exit()
    }
  }

  @Test("two kinds of mismatch are two findings, with stacks and without")
  func kinds() {
    #expect(counts(Self.kinds(stack: [])) == ["1", "1"])
    #expect(counts(Self.kinds(stack: ["deposit (A.m:3)"])) == ["1", "1"])
    #expect(counts(Self.kinds(stack: []), recorded: .gnustep128) == ["1", "1"])
  }

  @Test("one kind in two functions is two findings, and in one function it is one")
  func functions() {
    func ends(_ stacks: [[String]]) -> SampleLog {
      SampleLog { log in for stack in stacks { log.did(stack: stack) } }
    }
    #expect(counts(ends([["f (A.m:1)"], ["g (A.m:9)"]])) == ["1", "1"])
    #expect(counts(ends([["f (A.m:1)"], ["f (A.m:2)"]])) == ["2"])
    #expect(counts(ends([[], []])) == ["2"])
    #expect(counts(ends([["-[Account f] (A.m:1)"], ["-[Account g]"], []])) == ["1", "1", "1"])
  }

  @Test("a change that did not match its end, and so never ends, is one finding")
  func mismatched() {
    let log = SampleLog {
      $0.will(change: "1", kind: .insertion)
      $0.did(change: "2", kind: .removal)
      $0.exit()
    }
    #expect(log.outcome() == ["KVO012@2", "KVO012@1"])
    #expect(counts(log) == ["1[1]"])
  }

  /// By a shell: `printf '6:KVO0127:Account0:7:balance0:16:did-without-will' | sha256sum | cut -c1-32`.
  @Test("a signature is the same while the program runs, and with symbols that only an audit has")
  func signature() throws {
    let log = SampleLog { $0.did(stack: []) }
    let verdict = try #require(log.verdicts().first)
    let builder = FindingBuilder(names: log.names, profile: .swift)
    #expect(builder.finding(for: verdict).signature == "2:fe42c625847b059f747501cdf5f9944d")
    #expect(try addressed(.swift).signature == builder.finding(for: verdict).signature)
    #expect(try addressed(.gnustep128).signature != builder.finding(for: verdict).signature)
  }

  /// The same with an address, of which a resolver knows the function.
  private func addressed(_ recorded: Profile) throws -> Finding {
    final class Resolver: FrameResolver {
      func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
        [SourceFrame(function: "deposit", swiftModule: nil, file: "A.m", line: 3, isInlined: false)]
      }

      func problem(with module: Module) -> String? { nil }
    }
    var log = SampleLog { $0.did(stack: []) }
    let stack = log.names.id(of: [Frame(address: 0x1010)])
    var verdict = try #require(log.verdicts().first)
    verdict.evidence[0].stack = stack
    let module = Module(
      path: "/a/bank",
      buildID: "",
      loadBias: 0,
      textStart: 0x1000,
      textEnd: 0x2000
    )
    return FindingBuilder(
      names: log.names,
      profile: .swift,
      recorded: recorded,
      modules: [module],
      resolver: Resolver()
    ).finding(for: verdict)
  }
}
