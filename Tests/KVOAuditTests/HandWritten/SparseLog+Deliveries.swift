extension SparseLog {
  static let deliveries = [
    SparseLog(
      "removed after an initial notification whose end does not say its phase",
      [],
      """
      {"event":"register","thread":1,$pair,"options":["initial"],"registration":5}
      {"event":"notify","thread":1,"registration":5,"phase":"initial"}
      {"event":"notifyEnd","thread":1,"registration":5}
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "removed in an initial notification, after an inner one whose end does not say its phase",
      ["KVO010 error"],
      """
      {"event":"register","thread":1,$pair,"options":["initial"],"registration":5}
      {"event":"notify","thread":1,"registration":5,"phase":"initial"}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"notifyEnd","thread":1,"registration":5}
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"notifyEnd","thread":1,"registration":5,"phase":"initial"}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "announced and not delivered, by a writer that writes no ends of callbacks, and the thread goes on",
      ["KVO013 error"],
      """
      {"event":"register","thread":1,$pair,"options":["prior"],"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1,"phase":"prior"}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"notify","thread":1,"registration":5,"change":2,"phase":"prior"}
      {"event":"didChange","thread":1,$change,"change":2}
      {"event":"notify","thread":1,"registration":5,"change":2}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "announced and delivered, by a writer that writes no ends of callbacks",
      [],
      """
      {"event":"register","thread":1,$pair,"options":["prior"],"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1,"phase":"prior"}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "announced to two and delivered to both, the first of which changes another value, without ends of callbacks",
      [],
      """
      {"event":"register","thread":1,$pair,"options":["prior"],"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"register","thread":1,$second,"options":["prior"],"registration":6}
      {"event":"registerEnd","thread":1,"registration":6}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1,"phase":"prior"}
      {"event":"notify","thread":1,"registration":6,"change":1,"phase":"prior"}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"willChange","thread":1,"subject":$savings,"key":"balance","change":2}
      {"event":"didChange","thread":1,"subject":$savings,"key":"balance","change":2}
      {"event":"notify","thread":1,"registration":6,"change":1}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "the process ends inside the announcement, by a writer that writes no ends of callbacks",
      [],
      """
      {"event":"register","thread":1,$pair,"options":["prior"],"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1,"phase":"prior"}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "announced and not delivered, inside another announcement of the thread",
      ["KVO013 error"],
      """
      {"event":"register","thread":1,$pair,"options":["prior"],"registration":5}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"register","thread":1,"subject":$savings,"observer":$page,"keyPath":"balance","options":["prior"],"registration":6}
      {"event":"registerEnd","thread":1,"registration":6}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1,"phase":"prior"}
      {"event":"willChange","thread":1,"subject":$savings,"key":"balance","change":2}
      {"event":"notify","thread":1,"registration":6,"change":2,"phase":"prior"}
      {"event":"didChange","thread":1,"subject":$savings,"key":"balance","change":2}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"notify","thread":1,"registration":5,"change":1}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "delivered while the observer is deallocated",
      ["KVO008 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"deinit","object":$screen}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"remove",$pair}
      {"event":"deinitEnd","object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "delivered before the observer is deallocated",
      [],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"deinit","object":$screen}
      {"event":"remove",$pair}
      {"event":"deinitEnd","object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "delivered after a cancel",
      ["KVO009 error"],
      """
      {"event":"register",$only,"registration":5}
      {"event":"cancel","registration":5,"by":"user"}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "delivered before the removal, by order",
      [],
      """
      {"event":"register",$pair,"registration":5,"order":1,"thread":1}
      {"event":"remove",$pair,"order":3,"thread":1}
      {"event":"notify","registration":5,"order":2,"thread":2}
      {"event":"notifyEnd","registration":5,"thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "delivered after the removal, by order",
      ["KVO009 error"],
      """
      {"event":"register",$pair,"registration":5,"order":1,"thread":1}
      {"event":"notify","registration":5,"order":3,"thread":2}
      {"event":"remove",$pair,"order":2,"thread":1}
      {"event":"removeEnd",$pair,"thread":1}
      {"event":"notifyEnd","registration":5,"thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed in its initial notification",
      ["KVO010 error"],
      """
      {"event":"register",$pair,"registration":5,"options":["initial"],"thread":1}
      {"event":"notify","registration":5,"phase":"initial","thread":1}
      {"event":"remove",$pair,"thread":1}
      {"event":"notifyEnd","registration":5,"phase":"initial","thread":1}
      {"event":"registerEnd","registration":5,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed in its initial notification, without threads",
      [],
      notJudged: ["KVO010"],
      """
      {"event":"register",$pair,"registration":5,"options":["initial"]}
      {"event":"notify","registration":5,"phase":"initial"}
      {"event":"remove",$pair}
      {"event":"notifyEnd","registration":5,"phase":"initial"}
      {"event":"registerEnd","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed in its initial notification, without registerEnd",
      ["KVO010 error"],
      """
      {"event":"register",$pair,"registration":5,"options":["initial"],"thread":"main"}
      {"event":"notify","registration":5,"phase":"initial","thread":"main"}
      {"event":"remove",$pair,"thread":"main"}
      {"event":"notifyEnd","registration":5,"phase":"initial","thread":"main"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "not handled",
      ["KVO017 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5,"handled":false}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "handled, or not recorded",
      [],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5,"handled":true}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5,"handled":null}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "another executor",
      ["KVO023 warning"],
      """
      {"event":"register",$pair,"registration":5,"executor":"MainActor"}
      {"event":"notify","registration":5,"executor":"queue"}
      {"event":"notifyEnd","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the executor, or none recorded",
      [],
      """
      {"event":"register",$pair,"registration":5,"executor":"MainActor"}
      {"event":"notify","registration":5,"executor":"MainActor"}
      {"event":"notifyEnd","registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an exception leaves the callback",
      ["KVO039 warning"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5,"exception":"NSRangeException"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "delivered to the one of two that was removed",
      ["KVO005 warning", "KVO009 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"register",$pair,"registration":6}
      {"event":"remove",$pair,"registration":5}
      {"event":"removeEnd",$pair,"registration":5}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "delivered to the one of two that stays",
      ["KVO005 warning"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"register",$pair,"registration":6}
      {"event":"remove",$pair,"registration":5}
      {"event":"notify","registration":6}
      {"event":"notifyEnd","registration":6}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the newest of two is removed and notified",
      ["KVO005 warning", "KVO009 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"register",$pair,"registration":6}
      {"event":"remove",$pair}
      {"event":"removeEnd",$pair}
      {"event":"notify","registration":6}
      {"event":"notifyEnd","registration":6}
      {"event":"exit","status":0}
      """
    ),
  ]
}
