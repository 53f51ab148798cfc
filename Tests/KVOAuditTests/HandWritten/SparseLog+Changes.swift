extension SparseLog {
  static let changes = [
    SparseLog(
      "changes of a writer that records no notifications",
      [],
      notJudged: ["KVO011", "KVO032"],
      """
      {"event":"process","omitsNotifications":true}
      {"event":"register",$pair,"registration":4}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the same from a writer that does not say so",
      ["KVO032 error"],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the same of one that records another notification, later",
      ["KVO032 error"],
      """
      {"event":"register",$pair,"registration":4,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"register",$second,"registration":5,"thread":1}
      {"event":"notify","registration":5,"phase":"initial","thread":1}
      {"event":"notifyEnd","registration":5,"phase":"initial","thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "registered during a change, by a writer that records no notifications",
      [],
      notJudged: ["KVO011", "KVO032"],
      """
      {"event":"process","omitsNotifications":true}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":2}
      {"event":"registerEnd","registration":5,"thread":2}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "one of two observers is not notified",
      ["KVO032 error"],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"register",$second,"registration":5}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":4,"change":1}
      {"event":"notifyEnd","registration":4,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "both observers are notified",
      [],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"register",$second,"registration":5}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":4,"change":1}
      {"event":"notifyEnd","registration":4,"change":1}
      {"event":"notify","registration":5,"change":1}
      {"event":"notifyEnd","registration":5,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "notified before the end of the change is written",
      [],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"willChange",$change,"change":1}
      {"event":"notify","registration":4,"change":1}
      {"event":"notifyEnd","registration":4,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "not notified, without numbers of changes",
      ["KVO032 error"],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"register",$second,"registration":5}
      {"event":"willChange",$change}
      {"event":"didChange",$change}
      {"event":"notify","registration":4}
      {"event":"notifyEnd","registration":4}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "notified, without numbers of changes",
      [],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"register",$second,"registration":5}
      {"event":"willChange",$change}
      {"event":"didChange",$change}
      {"event":"notify","registration":4}
      {"event":"notifyEnd","registration":4}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a registration that no notification can name",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register",$pair}
      {"event":"register",$second,"registration":5}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":5,"change":1}
      {"event":"notifyEnd","registration":5,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a loss before the notification",
      [],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"register",$second,"registration":5}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":4,"change":1}
      {"event":"notifyEnd","registration":4,"change":1}
      {"event":"dropped","count":3}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "registered during a change",
      ["KVO011 error"],
      """
      {"event":"register",$second,"registration":4,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":2}
      {"event":"registerEnd","registration":5,"thread":2}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":4,"change":1,"thread":1}
      {"event":"notifyEnd","registration":4,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "registered during a change, without a number",
      [],
      notJudged: ["KVO011"],
      """
      {"event":"register",$second,"registration":4,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"register",$pair,"thread":2}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":4,"change":1,"thread":1}
      {"event":"notifyEnd","registration":4,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "registered during a change, and notified before its end is written",
      [],
      """
      {"event":"register",$second,"registration":4,"thread":1}
      {"event":"willChange",$change,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":2}
      {"event":"registerEnd","registration":5,"thread":2}
      {"event":"notify","registration":4,"thread":1}
      {"event":"notifyEnd","registration":4,"thread":1}
      {"event":"notify","registration":5,"thread":1}
      {"event":"notifyEnd","registration":5,"thread":1}
      {"event":"didChange",$change,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "registered during a change of which another is notified early",
      ["KVO011 error"],
      """
      {"event":"register",$second,"registration":4,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":2}
      {"event":"registerEnd","registration":5,"thread":2}
      {"event":"notify","registration":4,"change":1,"thread":1}
      {"event":"notifyEnd","registration":4,"change":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an end without a beginning",
      ["KVO012 error"],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "nested changes without numbers",
      [],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"willChange",$change,"thread":1}
      {"event":"willChange",$change,"thread":1}
      {"event":"didChange",$change,"thread":1}
      {"event":"notify","registration":5,"thread":1}
      {"event":"notifyEnd","registration":5,"thread":1}
      {"event":"didChange",$change,"thread":1}
      {"event":"notify","registration":5,"thread":1}
      {"event":"notifyEnd","registration":5,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change that is open at the end of its scope",
      ["KVO012 error"],
      """
      {"event":"scopeBegin","id":1,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "notified before and not after",
      ["KVO013 error"],
      """
      {"event":"register",$pair,"registration":5,"options":["prior"],"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":5,"change":1,"phase":"prior","thread":1}
      {"event":"notifyEnd","registration":5,"change":1,"phase":"prior","thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "notified before, and removed",
      [],
      """
      {"event":"register",$pair,"registration":5,"options":["prior"],"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":5,"change":1,"phase":"prior","thread":1}
      {"event":"notifyEnd","registration":5,"change":1,"phase":"prior","thread":1}
      {"event":"remove",$pair,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "notified before and after, early and without numbers",
      [],
      """
      {"event":"register",$pair,"registration":5,"options":["prior"],"thread":1}
      {"event":"willChange",$change,"thread":1}
      {"event":"notify","registration":5,"phase":"prior","thread":1}
      {"event":"notifyEnd","registration":5,"phase":"prior","thread":1}
      {"event":"notify","registration":5,"thread":1}
      {"event":"notifyEnd","registration":5,"thread":1}
      {"event":"didChange",$change,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a value that becomes another",
      ["KVO014 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"write",$change,"fingerprint":"a"}
      {"event":"write",$change,"fingerprint":"b"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a value that becomes another inside a change",
      [],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"write",$change,"fingerprint":"a"}
      {"event":"willChange",$change,"change":1}
      {"event":"write",$change,"fingerprint":"b"}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":5,"change":1}
      {"event":"notifyEnd","registration":5,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a log without its beginning, in which a scope ends on another thread before a change is made",
      [],
      """
      {"event":"process","pid":1,"complete":false}
      {"event":"live",$pair,"registration":5,"options":["prior"]}
      {"event":"scopeBegin","thread":2,"id":1,"name":"test"}
      {"event":"notify","thread":1,"registration":5,"change":7,"phase":"prior"}
      {"event":"willChange","thread":1,"subject":$savings,"key":"balance","change":8}
      {"event":"scopeEnd","thread":2,"id":1}
      {"event":"didChange","thread":1,"subject":$savings,"key":"balance","change":8}
      {"event":"notifyEnd","thread":1,"registration":5,"change":7,"phase":"prior","handled":true}
      {"event":"didChange","thread":1,$change,"change":7}
      {"event":"notify","thread":1,"registration":5,"change":7,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":5,"change":7,"phase":"after","handled":true}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "a notification before a change without the one after it, in a log without changes",
      [],
      notJudged: ["KVO013"],
      """
      {"event":"register","thread":1,$pair,"registration":5,"options":["prior"]}
      {"event":"notify","thread":1,"registration":5,"change":7,"phase":"prior"}
      {"event":"notifyEnd","thread":1,"registration":5,"change":7,"phase":"prior","handled":true}
      {"event":"remove","thread":1,$pair,"registration":5}
      {"event":"exit","thread":1,"status":0}
      """
    ),
    SparseLog(
      "a change that ends on another thread than it began, in a log without its beginning",
      ["KVO012 error"],
      """
      {"event":"process","pid":1,"complete":false}
      {"event":"willChange","thread":1,$change,"change":4}
      {"event":"didChange","thread":2,$change,"change":4}
      {"event":"willChange","thread":2,$change,"change":8}
      {"event":"didChange","thread":2,$change,"change":8}
      {"event":"lock","thread":1,"lock":"x"}
      {"event":"unlock","thread":1,"lock":"x"}
      {"event":"exit","thread":1,"status":0}
      """
    ),
  ]
}
