package import KVORules

/// How logs are judged.
package struct AuditOptions: Hashable, Sendable {
  /// The runtime to judge as; nil: the one that each log was recorded on.
  package var profile: Profile?
  /// The user's own modules, by Swift module name or name of the image; empty: all but the system's
  /// and this package's.
  package var appModules: [String]
  /// Whether registrations that are live at a normal exit count as leaked.
  package var judgesLeaksAtExit: Bool
  /// Whether registrations are counted by the call sites that make them.
  package var gathersCallSites: Bool
  /// Whether the number of live registrations is tracked, which only a page shows.
  package var followsActivity: Bool
  /// Whether findings and registrations are counted by the origin of their logs.
  ///
  /// Implies ``gathersCallSites``.
  package var countsByOrigin: Bool
  /// Whether the live registrations and the images of each process are kept, for a heap snapshot.
  package var keepsProcesses: Bool
  /// What the paths of logs state about their origin, if the logs do not; nil: nothing.
  package var pathPattern: PathPattern?

  package init(
    profile: Profile? = nil,
    appModules: [String] = [],
    judgesLeaksAtExit: Bool = false,
    gathersCallSites: Bool = false,
    followsActivity: Bool = false,
    countsByOrigin: Bool = false,
    keepsProcesses: Bool = false,
    pathPattern: PathPattern? = nil
  ) {
    self.profile = profile
    self.appModules = appModules
    self.judgesLeaksAtExit = judgesLeaksAtExit
    self.gathersCallSites = gathersCallSites || countsByOrigin
    self.followsActivity = followsActivity
    self.countsByOrigin = countsByOrigin
    self.keepsProcesses = keepsProcesses
    self.pathPattern = pathPattern
  }
}
