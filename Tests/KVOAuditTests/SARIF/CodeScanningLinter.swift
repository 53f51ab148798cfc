import Foundation
import KVOCompression

/// What GitHub's code scanning asks of a SARIF file, as its documentation says it.
///
/// "Required" properties are there and not empty, numbers of things stay within the limits, texts within theirs.
///
/// Source: "SARIF support for code scanning" and "SARIF results exceed one or more limits" on docs.github.com,
/// and what github/codeql-action, which uploads the files, does to them.
struct CodeScanningLinter {
  typealias Object = [String: Any]

  /// What is wrong, one sentence each; empty: the file is taken.
  private(set) var problems: [String] = []

  init(_ bytes: [UInt8]) {
    guard let file = try? JSONSerialization.jsonObject(with: Data(bytes)) as? Object else {
      problems = ["the file is not a JSON object"]
      return
    }
    // 10 MB, gzip-compressed.
    expect(
      GzipSize.byteCount(of: bytes) <= 10_000_000,
      "the file has more than 10 MB after compression"
    )
    expect(
      (file["$schema"] as? String)?.contains("sarif-schema-2.1.0") == true,
      "$schema is not that of 2.1.0"
    )
    expect(file["version"] as? String == "2.1.0", "version is not 2.1.0")
    let runs = objects(file["runs"])
    expect((1...20).contains(runs.count), "there are \(runs.count) runs")
    runs.forEach { lint(run: $0) }
  }

  private mutating func lint(run: Object) {
    let driver = (run["tool"] as? Object)?["driver"] as? Object ?? [:]
    expectText(driver["name"], "tool.driver.name")
    expect(isVersion(driver["semanticVersion"]), "semanticVersion is none")
    let rules = objects(driver["rules"])
    expect(rules.count <= 25_000, "there are \(rules.count) rules")
    let ids = rules.compactMap { $0["id"] as? String }
    expect(
      ids.count == rules.count && Set(ids).count == ids.count,
      "rules have no ids of their own"
    )
    rules.forEach { lint(rule: $0) }
    let id = (run["automationDetails"] as? Object)?["id"] as? String
    // Without a slash everything would be the id of the run, and the category empty.
    expect(
      id.map { $0.contains("/") && !$0.hasPrefix("/") } == true,
      "automationDetails.id has no category"
    )
    let bases = run["originalUriBaseIds"] as? Object ?? [:]
    for (name, base) in bases {
      let uri = (base as? Object)?["uri"] as? String ?? ""
      expect(uri.hasPrefix("file:///") && uri.hasSuffix("/"), "\(name) is not a folder")
    }
    let results = objects(run["results"])
    expect(run["results"] != nil, "there are no results")
    expect(results.count <= 25_000, "there are \(results.count) results")
    results.forEach { lint(result: $0, ids, bases: Set(bases.keys)) }
  }

  private mutating func lint(rule: Object) {
    let id = rule["id"] as? String ?? "?"
    expectText(rule["id"], "id of a rule")
    expect((rule["name"] as? String ?? "").count <= 255, "\(id): name has more than 255 characters")
    for key in ["shortDescription", "fullDescription"] {
      let text = (rule[key] as? Object)?["text"]
      expectText(text, "\(id): \(key).text")
      expect(
        (text as? String ?? "").count <= 1_024,
        "\(id): \(key).text has more than 1,024 characters"
      )
    }
    let help = rule["help"] as? Object ?? [:]
    expectText(help["text"], "\(id): help.text")
    if help["markdown"] != nil { expectText(help["markdown"], "\(id): help.markdown") }
    let level = (rule["defaultConfiguration"] as? Object)?["level"] as? String ?? "warning"
    expect(Self.levels.contains(level), "\(id): level \(level)")
    let properties = rule["properties"] as? Object ?? [:]
    // Twenty are taken, ten are shown.
    expect((properties["tags"] as? [String] ?? []).count <= 10, "\(id): more than 10 tags")
    expect(
      ["very-high", "high", "medium", "low"].contains(properties["precision"] as? String),
      "\(id): precision"
    )
    expect(
      ["error", "warning", "recommendation"].contains(properties["problem.severity"] as? String),
      "\(id): problem.severity"
    )
  }

  private mutating func lint(result: Object, _ ids: [String], bases: Set<String>) {
    let id = result["ruleId"] as? String ?? "?"
    let index = result["ruleIndex"] as? Int ?? -1
    expect(
      ids.indices.contains(index) && ids[index] == id,
      "\(id): ruleIndex \(index) is another rule"
    )
    expect(Self.levels.contains(result["level"] as? String ?? "warning"), "\(id): level")
    expectText((result["message"] as? Object)?["text"], "\(id): message.text")
    let locations = objects(result["locations"])
    expect((1...10).contains(locations.count), "\(id): \(locations.count) locations")
    let related = objects(result["relatedLocations"])
    expect(locations.count + related.count <= 1_000, "\(id): more than 1,000 locations")
    let numbers = related.compactMap { $0["id"] as? Int }
    expect(Set(numbers).count == numbers.count, "\(id): related locations share an id")
    let flows = objects(result["codeFlows"]).flatMap { objects($0["threadFlows"]) }
    let steps = flows.flatMap { objects($0["locations"]) }
    // Ten thousand are taken, a thousand are shown.
    expect(steps.count <= 1_000, "\(id): more than 1,000 locations in flows")
    expect(
      result["codeFlows"] == nil
        || !flows.isEmpty && flows.allSatisfy { !objects($0["locations"]).isEmpty },
      "\(id): an empty flow"
    )
    for location in locations + related + steps.compactMap({ $0["location"] as? Object }) {
      lint(location: location, of: id, bases)
    }
    let fingerprints = result["partialFingerprints"] as? Object ?? [:]
    if let hash = fingerprints["primaryLocationLineHash"] {
      expect(
        (hash as? String)?.wholeMatch(of: /[0-9a-f]{1,16}:[1-9][0-9]*/) != nil,
        "\(id): \(hash) is not a hash of a line"
      )
    }
  }

  private mutating func lint(location: Object, of id: String, _ bases: Set<String>) {
    let place = location["physicalLocation"] as? Object ?? [:]
    let artifact = place["artifactLocation"] as? Object ?? [:]
    expectText(artifact["uri"], "\(id): artifactLocation.uri")
    let uri = artifact["uri"] as? String ?? ""
    expect(URL(string: uri) != nil, "\(id): \(uri) is not a URI")
    // A scheme other than that of the root refuses the file.
    expect(!uri.contains("://") || uri.hasPrefix("file://"), "\(id): \(uri) has another scheme")
    if let base = artifact["uriBaseId"] as? String {
      expect(bases.contains(base), "\(id): nobody says what \(base) is")
      expect(
        !uri.contains(":") && !uri.hasPrefix("/") && !uri.contains("../"),
        "\(id): \(uri) is not relative"
      )
    }
    // Without a region it is of the whole file.
    guard let region = place["region"] as? Object else { return }
    let (line, column) = (region["startLine"] as? Int, region["startColumn"] as? Int ?? 1)
    let (endLine, endColumn) = (region["endLine"] as? Int ?? line, region["endColumn"] as? Int)
    guard let line, let endLine, line >= 1, column >= 1, endLine >= line else {
      return problems.append("\(id): a region that is none: \(region)")
    }
    if let endColumn {
      expect(endLine > line || endColumn > column, "\(id): a region without a character")
    }
  }

  private static let levels: Set = ["note", "warning", "error"]

  private func objects(_ value: Any?) -> [Object] { value as? [Object] ?? [] }

  private func isVersion(_ value: Any?) -> Bool {
    (value as? String)?.wholeMatch(of: /\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?/) != nil
  }

  private mutating func expectText(_ value: Any?, _ name: String) {
    expect((value as? String)?.isEmpty == false, "\(name) is missing or empty")
  }

  private mutating func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
    if !holds { problems.append(problem()) }
  }
}
