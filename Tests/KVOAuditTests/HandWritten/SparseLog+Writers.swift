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
      "callbacks on another thread, after the next change, which say their change",
      [],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"didChange","thread":1,$change,"change":2}
      {"event":"notify","thread":2,"registration":1,"change":1}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1}
      {"event":"notify","thread":2,"registration":1,"change":2}
      {"event":"notifyEnd","thread":2,"registration":1,"change":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "one of two callbacks on another thread is missing",
      ["KVO032 error"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"didChange","thread":1,$change,"change":2}
      {"event":"notify","thread":2,"registration":1,"change":2}
      {"event":"notifyEnd","thread":2,"registration":1,"change":2}
      """
    ),
    SparseLog(
      "callbacks on another thread that do not say their change",
      [],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change}
      {"event":"didChange","thread":1,$change}
      {"event":"willChange","thread":1,$change}
      {"event":"didChange","thread":1,$change}
      {"event":"notify","thread":2,"registration":1}
      {"event":"notifyEnd","thread":2,"registration":1}
      {"event":"notify","thread":2,"registration":1}
      {"event":"notifyEnd","thread":2,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "callbacks on another thread, in a log that ends before the last one",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,$change,"change":2}
      {"event":"didChange","thread":1,$change,"change":2}
      {"event":"notify","thread":2,"registration":1,"change":1}
      {"event":"notifyEnd","thread":2,"registration":1,"change":1}
      {"event":"willChange","thread":1,$change,"change":3}
      """
    ),
    SparseLog(
      "callbacks of a queue: both changes, then both callbacks",
      [],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change}
      {"event":"didChange","thread":1,$change}
      {"event":"willChange","thread":1,$change}
      {"event":"didChange","thread":1,$change}
      {"event":"notify","thread":1,"registration":1}
      {"event":"notifyEnd","thread":1,"registration":1}
      {"event":"notify","thread":1,"registration":1}
      {"event":"notifyEnd","thread":1,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a callback after the removal is one finding",
      ["KVO009 error"],
      """
      {"event":"register","thread":1,$pair,"registration":1}
      {"event":"willChange","thread":1,$change}
      {"event":"didChange","thread":1,$change}
      {"event":"remove","thread":1,$pair,"registration":1}
      {"event":"notify","thread":1,"registration":1}
      {"event":"notifyEnd","thread":1,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change without a callback before another change, without threads",
      ["KVO032 error"],
      """
      {"event":"register",$pair,"registration":1}
      {"event":"willChange",$change}
      {"event":"didChange",$change}
      {"event":"willChange","subject":$savings,"key":"balance"}
      {"event":"didChange","subject":$savings,"key":"balance"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the same, with a callback after the other change",
      [],
      """
      {"event":"register",$pair,"registration":1}
      {"event":"willChange",$change}
      {"event":"didChange",$change}
      {"event":"willChange","subject":$savings,"key":"balance"}
      {"event":"didChange","subject":$savings,"key":"balance"}
      {"event":"notify","registration":1}
      {"event":"notifyEnd","registration":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the same, with a removal after the other change",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register",$pair,"registration":1}
      {"event":"willChange",$change}
      {"event":"didChange",$change}
      {"event":"willChange","subject":$savings,"key":"balance"}
      {"event":"didChange","subject":$savings,"key":"balance"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the same, in a log without an end",
      [],
      notJudged: ["KVO032"],
      """
      {"event":"register",$pair,"registration":1}
      {"event":"willChange",$change}
      {"event":"didChange",$change}
      {"event":"willChange","subject":$savings,"key":"balance"}
      {"event":"didChange","subject":$savings,"key":"balance"}
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
