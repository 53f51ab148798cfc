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
    let command =
      form == "sarif"
      ? ["python3", "-c", sarif, file.path, schema]
      : ["xmllint", "--noout", "--schema", schema, file.path]
    return succeeds(command)
  }

  private static func succeeds(_ command: [String]) -> Bool {
    (try? ProgramRun(command: command).status) == 0
  }
}
