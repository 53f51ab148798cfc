// Logs of writers who number some of their registrations, or look at values between a change and its deliveries.
extension SparseLog {
  static let numbers = [
    SparseLog(
      "two contexts, of which only the second addition has a number, both removed by number",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register","thread":1,$pair,"context":"0x10"}
      {"event":"register","thread":1,$pair,"context":"0x20","registration":5}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"notifyEnd","thread":1,"registration":5,"change":1}
      {"event":"remove","thread":1,$pair,"context":"0x10","registration":4}
      {"event":"remove","thread":1,$pair,"context":"0x20","registration":5}
      {"event":"deinitEnd","thread":1,"object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two contexts, of which only the second addition has a number, and only the second is removed",
      ["KVO007 error"],
      """
      {"event":"register","thread":1,$pair,"context":"0x10"}
      {"event":"register","thread":1,$pair,"context":"0x20","registration":5}
      {"event":"remove","thread":1,$pair,"context":"0x20","registration":5}
      {"event":"deinitEnd","thread":1,"object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a number that no addition has, under a context that only additions with a number have",
      [],
      """
      {"event":"register","thread":1,$second}
      {"event":"register","thread":1,$pair,"context":"0x20","registration":5}
      {"event":"remove","thread":1,$pair,"context":"0x10","registration":4}
      {"event":"remove","thread":1,$pair,"context":"0x20","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token without a number that was notified by its number, and released in its scope",
      [],
      notJudged: ["KVO031"],
      """
      {"event":"scopeBegin","thread":1,"id":1}
      {"event":"register","thread":1,$only,"token":$token}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"notifyEnd","thread":1,"registration":5,"change":1}
      {"event":"deinit","thread":1,"object":$token}
      {"event":"deinitEnd","thread":1,"object":$token}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token with a number that was never notified, and released in its scope",
      ["KVO031 warning"],
      """
      {"event":"scopeBegin","thread":1,"id":1}
      {"event":"register","thread":1,$only,"token":$token,"registration":5}
      {"event":"deinit","thread":1,"object":$token}
      {"event":"deinitEnd","thread":1,"object":$token}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a notification that does not say its thread, of one of two changes, before that of a third",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"didChange","thread":1,$change,"change":2}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"notifyEnd","thread":1,"registration":5,"change":1}
      {"event":"willChange","thread":1,$change,"change":3}
      {"event":"didChange","thread":1,$change,"change":3}
      {"event":"notify","thread":1,"registration":5,"change":3}
      {"event":"notifyEnd","thread":1,"registration":5,"change":3}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "killed between the look of a probe at a changed value and the notification",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"write","thread":1,$change,"fingerprint":"1"}
      """
    ),
    SparseLog(
      "a probe looks at a changed value, of which nobody is notified before the next change",
      ["KVO032 error"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"write","thread":1,$change,"fingerprint":"1"}
      {"event":"willChange","thread":1,"subject":$account,"key":"owner","change":2}
      """
    ),
  ]
}
