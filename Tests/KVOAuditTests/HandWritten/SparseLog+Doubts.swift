extension SparseLog {
  /// Correct programs whose lines, read one after the other, look like a fault; and faults that the lines leave open.
  static let doubts = [
    SparseLog(
      "an addition that its order puts behind a removal, without threads",
      [],
      """
      {"event":"register","order":1,$pair}
      {"event":"register","order":3,$pair}
      {"event":"remove","order":2,$pair}
      {"event":"remove","order":4,$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two additions that their orders put before both removals, without threads",
      ["KVO005 warning"],
      """
      {"event":"register","order":1,$pair}
      {"event":"remove","order":3,$pair}
      {"event":"register","order":2,$pair}
      {"event":"remove","order":4,$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a deallocation that its order puts behind the removal, without threads",
      [],
      """
      {"event":"register","order":1,$pair,"registration":1}
      {"event":"deinit","order":4,"object":$account}
      {"event":"deinitEnd","order":5,"object":$account}
      {"event":"remove","order":3,$pair,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a notification that its order puts before the removal, in a change, without threads",
      [],
      """
      {"event":"register","order":1,$pair,"registration":1}
      {"event":"remove","order":3,$pair,"registration":1}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","order":2,"registration":1,"change":1}
      {"event":"notifyEnd","registration":1,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a notification that its order puts behind the removal, without threads",
      ["KVO009 error"],
      """
      {"event":"register","order":1,$pair,"registration":1}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","order":3,"registration":1,"change":1}
      {"event":"notifyEnd","registration":1,"change":1}
      {"event":"remove","order":2,$pair,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "parallel tests by their parents, without threads",
      [],
      notJudged: ["KVO021"],
      """
      {"event":"scopeBegin","id":1,"name":"suite"}
      {"event":"scopeBegin","id":"a","parent":1,"name":"testA"}
      {"event":"scopeBegin","id":"b","parent":1,"name":"testB"}
      {"event":"register",$pair}
      {"event":"register",$second}
      {"event":"remove",$second}
      {"event":"scopeEnd","id":"b"}
      {"event":"remove",$pair}
      {"event":"scopeEnd","id":"a"}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "tests one after the other by their parents, without threads",
      ["KVO021 error"],
      """
      {"event":"scopeBegin","id":1,"name":"suite"}
      {"event":"scopeBegin","id":"a","parent":1,"name":"testA"}
      {"event":"register",$second}
      {"event":"remove",$second}
      {"event":"scopeEnd","id":"a"}
      {"event":"scopeBegin","id":"b","parent":1,"name":"testB"}
      {"event":"register",$pair}
      {"event":"scopeEnd","id":"b"}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change that a registration was made in, ended by another thread right after",
      [],
      notJudged: ["KVO011"],
      """
      {"event":"willChange",$change,"change":1,"thread":2}
      {"event":"register",$pair,"registration":1,"options":["new"],"thread":1}
      {"event":"registerEnd","registration":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":2}
      {"event":"remove",$pair,"registration":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the same, and the thread of the change went on before the removal",
      ["KVO011 error"],
      """
      {"event":"willChange",$change,"change":1,"thread":2}
      {"event":"register",$pair,"registration":1,"options":["new"],"thread":1}
      {"event":"registerEnd","registration":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":2}
      {"event":"register",$second,"registration":2,"thread":2}
      {"event":"remove",$second,"registration":2,"thread":2}
      {"event":"remove",$pair,"registration":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a screen that was open for a minute, while nothing changed",
      [],
      """
      {"event":"register","t":1000000000,$only,"registration":1,"token":$token}
      {"event":"registerEnd","t":1000001000,"registration":1}
      {"event":"cancel","t":61000000000,"registration":1,"by":"token"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that is cancelled by the next event, at once",
      ["KVO031 warning"],
      """
      {"event":"register","t":1000000000,$only,"registration":1,"token":$token}
      {"event":"registerEnd","t":1000001000,"registration":1}
      {"event":"cancel","t":1000002000,"registration":1,"by":"token"}
      {"event":"exit","status":0}
      """
    ),
  ]
}
