import KVORules
import KVOTrace

/// Replaces the names of a program by pseudonyms, and leaves everything else.
///
/// Texts are taken apart into words, and each word that is not of ``KeptWords`` is replaced, the same one
/// by the same wherever it occurs: what was equal stays so, a class is found again in the name of its
/// function, and a key path has as many parts as before.
struct NameAnonymizer: NameMapping {
  private(set) var pseudonyms: Pseudonyms

  init(key: AnonymizationKey) { pseudonyms = Pseudonyms(key: key) }

  mutating func mapped(_ text: String, as role: NameRole) -> String {
    switch role {
    case _ where text.isEmpty: return text
    case .opaque: return pseudonyms.pseudonym(of: text)
    case .buildID: return pseudonyms.buildID(for: text)
    case .prose where KeptWords.sentences.contains(text): return text
    case .image where SystemNames.hasSystemName(text):
      // The system's file names stay as they are, with their versions.
      let file = FrameClassifier.baseName(text)
      return words(of: text.dropLast(file.count), as: role) + file
    case .name:
      guard var path = UnnamedKeyPath(text) else { return words(of: text[...], as: role) }
      for index in path.names.indices {
        path.names[index] = words(of: path.names[index][...], as: role)
      }
      path.type = words(of: path.type[...], as: role)
      return path.text
    case .code, .image, .prose: return words(of: text[...], as: role)
    }
  }

  private mutating func words(of text: Substring, as role: NameRole) -> String {
    var result = ""
    WordRuns(text).forEach { part, isWord in
      if !isWord {
        result += part
      } else if isKept(part, after: result, role) {
        result += part
      } else {
        append(part, role, to: &result)
      }
    }
    return result
  }

  private func isKept(_ word: Substring, after text: String, _ role: NameRole) -> Bool {
    if KeptWords.all.contains(String(word)) { return true }
    if Self.isNumber(word) { return role != .prose }
    switch role {
    case .code, .image:
      if text.utf8.last == UInt8(ascii: "."), KeptWords.fileEndings.contains(String(word)) {
        return true
      }
      return KeptWords.inPaths.contains(String(word)) && (role == .image || text.contains("/"))
    case .name, .prose, .opaque, .buildID: return false
    }
  }

  /// Decimal digits, or `0x` and hexadecimal ones.
  private static func isNumber(_ word: Substring) -> Bool {
    if word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
    return word.hasPrefix("0x")
      && word.dropFirst(2).utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0)
      }
  }

  /// Appends what replaces a word that does not stay as a whole.
  private mutating func append(_ word: Substring, _ role: NameRole, to result: inout String) {
    if KeptWords.reservedBeginnings.contains(where: word.hasPrefix), !word.hasPrefix("NSKVO") {
      result += word
      return
    }
    var rest = word
    let beginnings = KeptWords.beginnings + (role == .image ? ["lib"] : [])
    if let beginning = beginnings.first(where: rest.hasPrefix) {
      result += beginning
      rest = rest.dropFirst(beginning.count)
    }
    var ending = ""
    if rest.hasSuffix(KeptWords.entryEnding) {
      ending = KeptWords.entryEnding
      rest = rest.dropLast(ending.count)
    }
    for mark in KeptWords.marks {
      guard let range = rest.firstRange(of: mark) else { continue }
      appendName(rest[..<range.lowerBound], to: &result)
      result += mark
      rest = rest[range.upperBound...]
      break
    }
    appendName(rest, to: &result)
    result += ending
  }

  private mutating func appendName(_ name: Substring, to result: inout String) {
    if name.isEmpty { return }
    result += KeptWords.all.contains(String(name)) ? String(name) : pseudonyms.pseudonym(of: name)
  }
}
