extension SparseLog {
  /// Logs of writers that hook from outside, or whose callbacks run on another thread or later.
  static let writers = [
    SparseLog(
      "an observer that is added in a callback, with the didChange after the callbacks",
      [],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change}
      {"event":"notify","thread":1,"registration":1}
      {"event":"register","thread":1,$second,"registration":2}
      {"event":"notifyEnd","thread":1,"registration":1}
      {"event":"didChange","thread":1,$change}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an observer that is added in a callback before the change",
      ["KVO011 error"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change}
      {"event":"notify","thread":1,"registration":1,"phase":"prior"}
      {"event":"register","thread":1,$second,"registration":2}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"prior"}
      {"event":"didChange","thread":1,$change}
      {"event":"notify","thread":1,"registration":1}
      {"event":"notifyEnd","thread":1,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that was there for a probe before it was dropped",
      [],
      """
      {"event":"register","thread":1,"t":1000,$only,"registration":1,"form":"token"}
      {"event":"write","thread":1,"t":1500,$change,"fingerprint":1}
      {"event":"cancel","thread":1,"t":2000,"registration":1,"by":"token"}
      """
    ),
    SparseLog(
      "another reference of the same objects is dropped",
      ["KVO019 error"],
      """
      {"event":"hold","from":$screen,"to":$token,"label":"token"}
      {"event":"hold","from":$token,"to":$screen,"label":"owner"}
      {"event":"drop","from":$screen,"to":$token,"label":"previous"}
      """
    ),
    SparseLog(
      "a reference without a label is dropped under one",
      [],
      """
      {"event":"hold","from":$screen,"to":$token}
      {"event":"hold","from":$token,"to":$screen,"label":"owner"}
      {"event":"drop","from":$screen,"to":$token,"label":"token"}
      """
    ),
    SparseLog(
      "a drop without a label drops those with and without one",
      [],
      """
      {"event":"hold","from":$screen,"to":$token}
      {"event":"hold","from":$screen,"to":$token,"label":"token"}
      {"event":"hold","from":$token,"to":$screen,"label":"owner"}
      {"event":"drop","from":$screen,"to":$token}
      """
    ),
  ]
}
