// Logs of writers who leave out the ends of callbacks, some threads, or lines between events whose order is stated.
extension SparseLog {
  private static let nine = (1...9)
    .map { #"{"event":"notify","thread":1,"registration":5,"change":\#($0)}"# }
    .joined(separator: "\n")

  static let ends = [
    SparseLog(
      "nine callbacks one after the other, without any ends",
      [],
      notJudged: ["KVO027"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      \(nine)
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "nine callbacks in each other, of which the last one ends",
      ["KVO027 error"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      \(nine)
      {"event":"notifyEnd","thread":1,"registration":5,"change":9}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "nine callbacks one after the other, and later a crash, without any ends",
      [],
      notJudged: ["KVO027"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      \(nine)
      {"event":"crash","thread":1,"signal":"SIGSEGV"}
      """
    ),
    SparseLog(
      "nine callbacks of a running process that records the ends of additions, and none of callbacks",
      [],
      notJudged: ["KVO027"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      \(nine)
      """
    ),
    SparseLog(
      "nine callbacks in each other, until such a process has a bad access",
      ["KVO027 error"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      \(nine)
      {"event":"crash","thread":1,"signal":"SIGSEGV"}
      """
    ),
    SparseLog(
      "nine callbacks of such a process, which crashes on another thread",
      [],
      notJudged: ["KVO027"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      \(nine)
      {"event":"crash","thread":2,"signal":"SIGSEGV"}
      """
    ),
    SparseLog(
      "nine callbacks of such a process, which raises an exception",
      [],
      notJudged: ["KVO027"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      \(nine)
      {"event":"crash","thread":1,"exception":"NSRangeException"}
      """
    ),
    SparseLog(
      "nine callbacks of such a process, which crashes after the removal of their observer",
      [],
      notJudged: ["KVO027"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      \(nine)
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"crash","thread":1,"signal":"SIGSEGV"}
      """
    ),
    SparseLog(
      "removed some time after its initial notification, and later a crash, without any ends",
      [],
      notJudged: ["KVO010"],
      """
      {"event":"register","thread":1,$pair,"registration":5,"options":["initial"]}
      {"event":"notify","thread":1,"registration":5,"phase":"initial"}
      {"event":"remove","thread":1,$pair}
      {"event":"crash","thread":1,"signal":"SIGABRT"}
      """
    ),
    SparseLog(
      "removed in its initial notification, in an addition that has not ended",
      ["KVO010 error"],
      """
      {"event":"register","thread":1,$pair,"registration":4}
      {"event":"registerEnd","thread":1,"registration":4}
      {"event":"remove","thread":1,$pair}
      {"event":"register","thread":1,$pair,"registration":5,"options":["initial"]}
      {"event":"notify","thread":1,"registration":5,"phase":"initial"}
      {"event":"remove","thread":1,$pair}
      """
    ),
    SparseLog(
      "removed some time after its initial notification, without any ends",
      [],
      notJudged: ["KVO010"],
      """
      {"event":"register","thread":1,$pair,"registration":5,"options":["initial"]}
      {"event":"notify","thread":1,"registration":5,"phase":"initial"}
      {"event":"remove","thread":1,$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed in its initial notification, of which only the addition ends",
      ["KVO010 error"],
      """
      {"event":"register","thread":1,$pair,"registration":5,"options":["initial"]}
      {"event":"notify","thread":1,"registration":5,"phase":"initial"}
      {"event":"remove","thread":1,$pair}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a nested change that ends without its thread",
      [],
      notJudged: ["KVO012"],
      """
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,"subject":$account,"key":"owner","change":2}
      {"event":"didChange","subject":$account,"key":"owner","change":2}
      {"event":"didChange","thread":1,$change,"change":1}
      """
    ),
    SparseLog(
      "a change that ends before one that began in it",
      ["KVO012 warning"],
      """
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,"subject":$account,"key":"owner","change":2}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,"subject":$account,"key":"owner","change":2}
      """
    ),
    SparseLog(
      "removed in the deinit of the object, which does not say its thread",
      [],
      notJudged: ["KVO025"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"deinit","object":$account}
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"removeEnd","thread":1,$pair,"registration":5}
      {"event":"deinitEnd","thread":1,"object":$account}
      """
    ),
    SparseLog(
      "the object's deinit begins during a removal, and does not say its thread",
      [],
      notJudged: ["KVO025"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"deinit","object":$account}
      {"event":"removeEnd","thread":1,$pair,"registration":5}
      {"event":"deinitEnd","thread":1,"object":$account}
      """
    ),
    SparseLog(
      "removed on another thread than that of the deinit",
      ["KVO025 error"],
      """
      {"event":"register","thread":1,$pair,"registration":5}
      {"event":"deinit","thread":2,"object":$account}
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"removeEnd","thread":1,$pair,"registration":5}
      {"event":"deinitEnd","thread":2,"object":$account}
      """
    ),
    SparseLog(
      "two removals at once of what nobody added",
      ["KVO002 error"],
      """
      {"event":"remove","thread":1,"order":1,$pair}
      {"event":"remove","thread":2,"order":2,$pair}
      {"event":"removeEnd","thread":1,"order":3,$pair}
      {"event":"removeEnd","thread":2,"order":4,$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two removals at once of one registration",
      ["KVO025 error"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":5}
      {"event":"remove","thread":1,"order":2,$pair,"registration":5}
      {"event":"remove","thread":2,"order":3,$pair,"registration":null}
      {"event":"removeEnd","thread":1,"order":4,$pair,"registration":5}
      {"event":"removeEnd","thread":2,"order":5,$pair,"registration":null}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a loss between changes and the callbacks of a queue",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"didChange","thread":1,$change,"change":2}
      {"event":"willChange","thread":1,$change,"change":3}
      {"event":"dropped","count":1}
      {"event":"notify","thread":2,"registration":1,"change":1}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a loss between a change without a callback and a removal, without threads",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register",$pair,"registration":1}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"willChange",$change,"change":2}
      {"event":"dropped","count":1}
      {"event":"remove",$pair,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a loss after a change without a callback",
      ["KVO032 error"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"dropped","count":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a deallocation that its order puts behind the removal, with another line between them, without threads",
      [],
      """
      {"event":"register","order":1,$pair,"registration":1}
      {"event":"deinit","order":4,"object":$account}
      {"event":"deinitEnd","order":5,"object":$account}
      {"event":"expectDeinit","object":$page}
      {"event":"remove","order":3,$pair,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a removal that its order puts behind the deallocation, with another line between them, without threads",
      ["KVO006 error"],
      """
      {"event":"register","order":1,$pair,"registration":1}
      {"event":"deinit","order":2,"object":$account}
      {"event":"deinitEnd","order":3,"object":$account}
      {"event":"expectDeinit","object":$page}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an exit while another thread is between two callbacks, of which the first changed something",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"register","thread":1,$second,"registration":2}
      {"event":"registerEnd","thread":1,"registration":2}
      {"event":"willChange","thread":2,$change,"change":1}
      {"event":"didChange","thread":2,$change,"change":1}
      {"event":"notify","thread":2,"registration":1,"change":1}
      {"event":"willChange","thread":2,"subject":$savings,"key":"balance","change":2}
      {"event":"didChange","thread":2,"subject":$savings,"key":"balance","change":2}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1,"handled":true}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "an exit after a callback before a change of another thread, which changed something",
      [],
      notJudged: ["KVO012"],
      """
      {"event":"register","thread":1,$pair,"registration":1,"options":["prior"]}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"willChange","thread":2,$change,"change":1}
      {"event":"notify","thread":2,"registration":1,"change":1,"phase":"prior"}
      {"event":"willChange","thread":2,"subject":$savings,"key":"balance","change":2}
      {"event":"didChange","thread":2,"subject":$savings,"key":"balance","change":2}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1,"phase":"prior","handled":true}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "an exit after another thread went on after a callback that changed something",
      ["KVO032 error"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"register","thread":1,$second,"registration":2}
      {"event":"registerEnd","thread":1,"registration":2}
      {"event":"willChange","thread":2,$change,"change":1}
      {"event":"didChange","thread":2,$change,"change":1}
      {"event":"notify","thread":2,"registration":1,"change":1}
      {"event":"willChange","thread":2,"subject":$savings,"key":"balance","change":2}
      {"event":"didChange","thread":2,"subject":$savings,"key":"balance","change":2}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1,"handled":true}
      {"event":"willChange","thread":2,"subject":$savings,"key":"balance","change":3}
      {"event":"didChange","thread":2,"subject":$savings,"key":"balance","change":3}
      {"event":"exit","thread":1,"status":0}
      """
    ),
  ]
}
