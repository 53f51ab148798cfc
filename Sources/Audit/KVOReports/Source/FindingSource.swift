package import KVORules

/// The source lines around the own calls of a finding, as text.
package enum FindingSource {
  /// An excerpt for each stack whose first own frame is in a file that is on this machine.
  ///
  /// Reads source files only, whatever the log names (``SourceShelf``).
  ///
  /// - Parameter finding: its stacks name the files.
  /// - Returns: the excerpts, the line in question marked with `>`; empty if no file is at hand.
  package static func text(of finding: Finding) -> String {
    let shelf = SourceShelf()
    var parts: [String] = []
    for stack in finding.stacks {
      guard let own = stack.frames.first(where: \.isFirstOwn), let file = own.file,
        let excerpt = shelf.excerpt(file, own.line)
      else { continue }
      var lines = ["\(stack.heading): \(file):\(own.line)"]
      for (index, line) in excerpt.lines.enumerated() {
        let number = excerpt.firstNumber + index
        lines.append("\(number == excerpt.number ? ">" : " ") \(number)  \(line)")
      }
      parts.append(lines.map(ShownText.escaped).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}
