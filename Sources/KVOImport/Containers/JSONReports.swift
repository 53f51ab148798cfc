/// Takes an input of JSON apart: one report or many, behind each other or in lists.
struct JSONReports {
  private(set) var documents: [ReportDocument] = []
  /// Where the input stops being JSON, and why; nil: it does not.
  private(set) var problem: JSONTree.Problem?
  /// How many bytes the documents take that could be read.
  private(set) var endOffset = 0

  /// Reads all of `bytes`.
  ///
  /// - Complexity: O(length).
  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    var head: ReportFacts?
    while true {
      rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
      guard let first = rest.first else { break }
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
        // Behind the head of the oldest form stands a report as text.
        if let facts = head {
          var document = ReportDocument(CleanText(rest))
          document.facts.complete(from: facts)
          documents.append(document)
        } else {
          problem = JSONTree.Problem(
            offset: rest.startIndex - bytes.startIndex,
            message: "text follows"
          )
        }
        break
      }
      do throws(JSONTree.Problem) {
        let tree = try JSONTree(rest)
        if AppleReport.isHead(tree), tree[0, "description"] == nil {
          head = AppleReport.facts(tree)
        } else {
          documents.append(document(tree, head))
          head = nil
        }
        rest = rest[tree.end...]
        endOffset = tree.end - bytes.startIndex
      } catch {
        problem = JSONTree.Problem(
          offset: rest.startIndex - bytes.startIndex + error.offset,
          message: error.message
        )
        break
      }
    }
  }

  private func document(_ tree: JSONTree, _ head: ReportFacts?) -> ReportDocument {
    let isApple = AppleReport.isReport(tree)
    // The words of a report, without its frames.
    var words: [UInt8] = []
    var node = 0
    while node < tree.nodes.count {
      let item = tree.nodes[node]
      if isApple, item.kind != .string, item.key >= 0,
        tree.isKey(Int(item.key), "threads") || tree.isKey(Int(item.key), "usedImages")
          || tree.isKey(Int(item.key), "lastExceptionBacktrace")
      {
        node = Int(item.next)
        continue
      }
      if item.kind == .string, item.key != -2 {
        words.append(contentsOf: tree.raw(node))
        words.append(0x0a)
      }
      node += 1
    }
    var document = ReportDocument(CleanText(words[...]))
    let structured = isApple ? AppleReport.stacks(tree) : ServiceReport.stacks(tree)
    if !structured.isEmpty { document.stacks = structured }
    var facts =
      isApple || tree[0, "bug_type"] != nil ? AppleReport.facts(tree) : ServiceReport.facts(tree)
    if let head { facts.complete(from: head) }
    facts.complete(from: document.facts)
    document.facts = facts
    document.inputLines = document.inputLines.map { _ in 1 }
    return document
  }
}
