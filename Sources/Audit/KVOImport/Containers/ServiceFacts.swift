/// The process, its version, the system and the time in the exports of crash services.
///
/// By the event schema of Sentry (https://github.com/getsentry/sentry-data-schemas), the payloads of Bugsnag's notifier
/// and of its data API, the schemas of Crashlytics exports
/// (https://firebase.google.com/docs/crashlytics/bigquery-dataset-schema and cloud-logging-schema), and the reports of
/// KSCrash, with which Embrace's library writes.
enum ServiceFacts {
  private static let dateKeys = [
    "timestamp", "event_timestamp", "eventTime", "datetime", "receivedAt", "received_at",
    "dateCreated", "time",
  ]

  static func facts(_ tree: JSONTree) -> ReportFacts {
    var facts = ReportFacts()
    /// Identifies the program if it is not named.
    var identifier: String?
    for node in tree.nodes.indices where tree.nodes[node].kind == .object {
      func text(_ keys: String...) -> String? {
        keys.lazy.compactMap { tree.text(tree[node, $0]) }.first { !$0.isEmpty }
      }
      switch tree.key(of: node) {
      case "os", "operating_system", "operatingSystem":
        facts.system =
          facts.system
          ?? system(
            text("name", "os", "display_name"),
            text("version", "display_version", "displayVersion")
          )
      case "device":
        facts.system =
          facts.system ?? system(text("osName", "os_name"), text("osVersion", "os_version"))
        facts.date = facts.date ?? date(text("time"))
      case "app", "application":
        facts.process = facts.process ?? text("app_name", "name")
        identifier = identifier ?? text("id", "app_identifier")
        facts.version =
          facts.version ?? text("app_version", "version", "display_version", "displayVersion")
      case "version": facts.version = facts.version ?? text("displayVersion", "display_version")
      case "system":
        facts.process = facts.process ?? text("process_name")
        facts.version = facts.version ?? text("CFBundleShortVersionString")
        facts.system = facts.system ?? system(text("system_name"), text("system_version"))
      default: break
      }
    }
    func root(_ key: String) -> String? { tree.text(tree[0, key]) }
    facts.process =
      facts.process ?? identifier ?? root("bundle_identifier") ?? root("bundleOrPackage")
    facts.version = facts.version ?? root("release")
    facts.date = dateKeys.lazy.compactMap { date(root($0)) }.first ?? facts.date
    return facts
  }

  private static func date(_ time: String?) -> String? {
    time.flatMap { FactReader.date(in: Array($0.utf8)[...]) }
  }

  private static func system(_ name: String?, _ version: String?) -> String? {
    guard let version else { return nil }
    return name.map { "\($0) \(version)" } ?? version
  }
}
