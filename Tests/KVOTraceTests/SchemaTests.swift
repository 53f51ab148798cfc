import Foundation
import KVOSchema
import KVOTrace
import KVOTraceJSON
import Testing

@Suite("The schema of events") struct SchemaTests {
  @Test("has every key of the random events, and they have every key of it")
  func keys() throws {
    var source = RandomEvents(seed: 5)
    var written: [String: Set<String>] = [:]
    for number in 0..<40 * RandomEvents.bodyCount {
      let event = source.event(kind: number % RandomEvents.bodyCount)
      var bytes: [UInt8] = []
      JSONLinesWriter.append(event, names: source.names, to: &bytes)
      let line = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
      written[event.body.name, default: []].formUnion(line.keys)
    }
    let common: Set = ["event", "t", "thread", "order", "stack", "scope"]
    for kind in EventKind.all {
      // What is never written is compared with nothing: not by a reader, not by the script in Python.
      #expect(
        written[kind.name]?.subtracting(common) == Self.keys(of: kind.body),
        "\(kind.name)"
      )
    }
  }

  private static func keys(of body: Body) -> Set<String> {
    var keys: Set<String> = []
    for field in body.fields {
      if case .fields(let inner) = field.type {
        keys.formUnion(Self.keys(of: inner))
      } else {
        keys.insert(field.key)
      }
    }
    return keys
  }

  @Test("numbers the events from 1 on, without a gap")
  func numbers() {
    #expect(EventKind.all.map(\.number) == Array(1...EventKind.all.count))
  }

  @Test("has the meaning of each key, and no key of a body twice")
  func meanings() {
    for kind in EventKind.all {
      let fields = kind.body.fields.filter { !$0.key.isEmpty }
      #expect(Set(fields.map(\.key)).count == fields.count, "\(kind.name)")
      #expect(fields.filter { $0.meaning.isEmpty }.map(\.key) == [], "\(kind.name)")
    }
  }

  @Test("has a role for each text, and for nothing else")
  func roles() {
    for kind in EventKind.all {
      for field in kind.body.fields {
        let isText =
          switch field.type {
          case .string, .stringOrNumber, .strings, .keyPaths, .text: true
          default: false
          }
        #expect((field.role != .none) == isText, "\(kind.name).\(field.key)")
      }
    }
  }
}
