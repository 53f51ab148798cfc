/// The version of the tools, as `kvo-audit --version` prints it.
package enum AuditVersion {
  package static let current = "0.1.0"
}
