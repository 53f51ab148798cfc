import KVOText

extension MCPTools {
  /// The names are what agents call.
  enum Tool: String, CaseIterable {
    case audit, finding, source, cycle, census, growth, diff, explain
    case verifyFix = "verify_fix"
  }

  static let instructions = """
    Finds faults of key-value observing (KVO) in recorded logs and crash reports. Start with audit, look at a finding with \
    finding and source, change the code, record the program again, and prove the change with verify_fix.
    """

  /// A parameter of a tool, as JSON Schema has it.
  private struct Parameter {
    enum Kind { case text, texts, count }
    var name: String
    var kind: Kind
    var meaning: String
    var isRequired = true
  }

  private static let paths = Parameter(
    name: "paths",
    kind: .texts,
    meaning: "logs, crash reports, folders of these, or patterns"
  )
  private static let id = Parameter(
    name: "id",
    kind: .text,
    meaning: "the signature of a finding of the last audit, or its beginning: 2:6898ccf5d8"
  )

  /// Writes the keys of the answer to `tools/list`.
  static func list(_ text: inout JSONText) {
    text.key("tools")
    text.list(Tool.allCases) { text, tool in
      text.object { text in
        text.key("name")
        text.value(tool.rawValue)
        text.key("description")
        text.value(tool.meaning)
        text.key("inputSchema")
        text.object { write(parameters(of: tool), &$0) }
        text.key("annotations")
        text.object { text in
          text.key("readOnlyHint")
          text.value(true)
        }
      }
    }
  }

  private static func write(_ parameters: [Parameter], _ text: inout JSONText) {
    text.key("type")
    text.value("object")
    text.key("properties")
    text.object { text in
      for parameter in parameters {
        text.key(parameter.name)
        text.object { text in
          text.key("type")
          switch parameter.kind {
          case .text: text.value("string")
          case .count: text.value("integer")
          case .texts:
            text.value("array")
            text.key("items")
            text.object { text in
              text.key("type")
              text.value("string")
            }
          }
          text.key("description")
          text.value(parameter.meaning)
        }
      }
    }
    text.key("required")
    text.list(parameters.filter(\.isRequired)) { $0.value($1.name) }
  }

  private static func parameters(of tool: Tool) -> [Parameter] {
    switch tool {
    case .audit:
      [
        paths,
        Parameter(
          name: "limit",
          kind: .count,
          meaning: "how many findings at most, the worst first; 20 if left out",
          isRequired: false
        ),
      ]
    case .finding, .source, .cycle: [id]
    case .census, .growth: [paths]
    case .diff:
      [
        Parameter(name: "old", kind: .text, meaning: "the older log or JSON report"),
        Parameter(name: "new", kind: .text, meaning: "the newer one"),
      ]
    case .explain:
      [Parameter(name: "rule", kind: .text, meaning: "a code or slug: KVO001, double-remove")]
    case .verifyFix:
      [
        Parameter(name: "id", kind: .text, meaning: "the signature of the finding that was fixed"),
        Parameter(name: "paths", kind: .texts, meaning: "logs of the corrected program"),
        Parameter(
          name: "before",
          kind: .text,
          meaning: "a log or JSON report that has the finding; the last audit, if left out",
          isRequired: false
        ),
      ]
    }
  }
}

extension MCPTools.Tool {
  /// What an agent reads to choose it.
  fileprivate var meaning: String {
    switch self {
    case .audit: "Lists the faults in logs and crash reports, a line each, the worst first."
    case .finding: "A finding in full: message, stacks, advice, what follows from it."
    case .source: "The source lines around the own calls of a finding."
    case .cycle: "The retain cycle of a finding, with the reference that is best made weak."
    case .census: "Who observes what when logs end."
    case .growth: "Which call sites register, and what repeated scopes leave behind."
    case .diff: "What is new, fixed and unchanged between two logs or reports."
    case .explain: "What a rule means, its consequences on each runtime, and what to do."
    case .verifyFix:
      "Whether a finding is gone from a log that could have shown it: fixed, present or unproven."
    }
  }
}
