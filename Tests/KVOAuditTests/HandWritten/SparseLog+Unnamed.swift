extension SparseLog {
  /// Additions and removals that do not state their observer: which is not to say that there was none.
  static let unnamed = [
    SparseLog(
      "removed by an observer that is not said",
      [],
      """
      {"event":"register",$pair}
      {"event":"remove",$only}
      {"event":"deinitEnd","object":$screen}
      {"event":"deinitEnd","object":$account}
      """
    ),
    SparseLog(
      "removed once more by an observer that is not said",
      ["KVO002 error"],
      """
      {"event":"register",$pair}
      {"event":"remove",$only}
      {"event":"remove",$only}
      """
    ),
    SparseLog(
      "neither addition nor removal says the observer",
      [],
      """
      {"event":"register",$only}
      {"event":"remove",$only}
      {"event":"deinitEnd","object":$account}
      """
    ),
    SparseLog(
      "only the removal says the observer",
      [],
      """
      {"event":"register",$only}
      {"event":"remove",$pair}
      {"event":"deinitEnd","object":$account}
      """
    ),
    SparseLog(
      "only the removal says the observer, of an addition that says its form",
      [],
      """
      {"event":"register",$only,"form":"classic"}
      {"event":"remove",$pair}
      {"event":"deinitEnd","object":$account}
      """
    ),
    SparseLog(
      "two observers, and a removal of each that does not say which",
      [],
      """
      {"event":"register",$pair}
      {"event":"register",$second}
      {"event":"remove",$only}
      {"event":"remove",$only}
      {"event":"deinitEnd","object":$screen}
      {"event":"deinitEnd","object":$page}
      {"event":"deinitEnd","object":$account}
      """
    ),
    SparseLog(
      "two observers, of which the first is removed without being said",
      [],
      notJudged: ["KVO001", "KVO002", "KVO007"],
      """
      {"event":"register",$pair}
      {"event":"register",$second}
      {"event":"remove",$only}
      {"event":"remove",$second}
      {"event":"deinitEnd","object":$screen}
      {"event":"deinitEnd","object":$page}
      """
    ),
    SparseLog(
      "two observers, of which the second is removed without being said",
      [],
      notJudged: ["KVO001", "KVO002", "KVO007"],
      """
      {"event":"register",$pair}
      {"event":"register",$second}
      {"event":"remove",$only}
      {"event":"remove",$pair}
      {"event":"deinitEnd","object":$screen}
      {"event":"deinitEnd","object":$page}
      """
    ),
    SparseLog(
      "two contexts, and a removal under one that does not say the observer",
      [],
      """
      {"event":"register",$pair,"context":"A"}
      {"event":"register",$second,"context":"B"}
      {"event":"remove",$only,"context":"A"}
      {"event":"remove",$second,"context":"B"}
      {"event":"deinitEnd","object":$screen}
      {"event":"deinitEnd","object":$page}
      """
    ),
    SparseLog(
      "a removal without an observer of which the log says that it matched nothing",
      ["KVO002 error"],
      """
      {"event":"register",$pair}
      {"event":"remove",$only,"registration":null}
      """
    ),
    SparseLog(
      "a token that has a number, and a removal by name of an observer that was not added",
      ["KVO002 error"],
      """
      {"event":"register",$only,"registration":1}
      {"event":"remove",$pair}
      {"event":"cancel","registration":1,"by":"user"}
      """
    ),
    SparseLog(
      "a token without any key, beside an observer that is removed twice",
      ["KVO001 error"],
      """
      {"event":"register",$only}
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"remove",$pair}
      """
    ),
    SparseLog(
      "a token without an observer is not removed by name",
      ["KVO002 error"],
      """
      {"event":"register",$only,"token":$token}
      {"event":"remove",$pair}
      """
    ),
    SparseLog(
      "two contexts, and neither additions nor removals say the observer",
      [],
      notJudged: ["KVO001", "KVO002", "KVO004"],
      """
      {"event":"register",$only,"context":"A","form":"classic"}
      {"event":"register",$only,"context":null,"form":"classic"}
      {"event":"remove",$only}
      {"event":"remove",$only,"context":null}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two contexts, and the removals say what they matched, but no event says an observer",
      [],
      """
      {"event":"register",$only,"context":"A","form":"classic","registration":1}
      {"event":"register",$only,"context":null,"form":"classic","registration":2}
      {"event":"remove",$only,"registration":2}
      {"event":"remove",$only,"context":"A","registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two that do not say their observer, of which the second is notified after a removal",
      [],
      """
      {"event":"register","thread":1,$only,"form":"classic","registration":1}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"register","thread":1,$only,"form":"classic","registration":2}
      {"event":"registerEnd","thread":1,"registration":2}
      {"event":"remove","thread":1,$only}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":2,"change":1}
      {"event":"notifyEnd","thread":1,"registration":2,"change":1}
      {"event":"remove","thread":1,$only}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "an addition by name that does not say its observer, and a deallocation that may be of that",
      [],
      notJudged: ["KVO005", "KVO007", "KVO008", "KVO018", "KVO020"],
      """
      {"event":"register",$only,"form":"classic"}
      {"event":"deinitEnd","object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an exception in a callback of a registration that no addition has",
      [],
      notJudged: ["KVO039"],
      """
      {"event":"register","thread":1,$pair}
      {"event":"notify","thread":1,"registration":2}
      {"event":"notifyEnd","thread":1,"registration":2,"exception":"NSRangeException"}
      {"event":"remove","thread":1,$pair}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "only the removal says a number, and only the addition the observer",
      [],
      """
      {"event":"register",$pair}
      {"event":"remove",$only,"registration":4}
      {"event":"deinitEnd","object":$screen}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an equal addition after the end of a number that no addition has",
      [],
      notJudged: ["KVO005"],
      """
      {"event":"register",$pair,"form":"controller","site":"F.swift:1"}
      {"event":"cancel","registration":5,"by":"user"}
      {"event":"register",$pair,"form":"controller","registration":6,"site":"F.swift:1"}
      {"event":"exit","status":0}
      """
    ),
  ]
}
