package import Foundation

/// The schemas that others published for our outputs, and validators that are not ours.
///
/// The project carries no copies: `KVO_SAFETY_SCHEMAS` names the folder that has
/// `sarif-schema-2.1.0.json` and `junit-10.xsd`.
package enum Schemas {
  private static let folder = ProcessInfo.processInfo.environment["KVO_SAFETY_SCHEMAS"] ?? ""

  package static let areAvailable =
    FileManager.default.fileExists(atPath: folder + "/sarif-schema-2.1.0.json")
    && FileManager.default.fileExists(atPath: folder + "/junit-10.xsd")
    && succeeds(["python3", "-c", "import jsonschema"]) && succeeds(["xmllint", "--version"])

  /// Whether `file` is valid as the form says it is.
  package static func accepts(_ file: URL, as form: String) -> Bool {
    let sarif = """
      import json, jsonschema, sys
      jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))
      """
    let schema = folder + (form == "sarif" ? "/sarif-schema-2.1.0.json" : "/junit-10.xsd")
    return succeeds(
      form == "sarif"
        ? ["python3", "-c", sarif, file.path, schema]
        : ["xmllint", "--noout", "--schema", schema, file.path]
    )
  }

  private static func succeeds(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
