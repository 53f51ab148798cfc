extension SparseLog {
  static let threads = [
    SparseLog(
      "two changes at once, without order",
      ["KVO024 error"],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"willChange",$change,"change":2,"thread":2}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":5,"change":1,"thread":1}
      {"event":"notifyEnd","registration":5,"change":1,"thread":1}
      {"event":"didChange",$change,"change":2,"thread":2}
      {"event":"notify","registration":5,"change":2,"thread":2}
      {"event":"notifyEnd","registration":5,"change":2,"thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two changes at once, without threads",
      [],
      notJudged: ["KVO024"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"willChange",$change,"change":1}
      {"event":"willChange",$change,"change":2}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":5,"change":1}
      {"event":"notifyEnd","registration":5,"change":1}
      {"event":"didChange",$change,"change":2}
      {"event":"notify","registration":5,"change":2}
      {"event":"notifyEnd","registration":5,"change":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two changes at once, where some say their thread",
      [],
      notJudged: ["KVO024"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"willChange",$change,"change":2,"thread":2}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":5,"change":1,"thread":1}
      {"event":"notifyEnd","registration":5,"change":1,"thread":1}
      {"event":"didChange",$change,"change":2,"thread":2}
      {"event":"notify","registration":5,"change":2,"thread":2}
      {"event":"notifyEnd","registration":5,"change":2,"thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two keys that a third depends on",
      ["KVO024 error"],
      """
      {"event":"declares","class":"Account","key":"sum","affectedBy":["a","b"]}
      {"event":"register",$both,"keyPath":"sum","registration":5,"thread":1}
      {"event":"willChange","subject":$account,"key":"a","change":1,"thread":1}
      {"event":"willChange","subject":$account,"key":"b","change":2,"thread":2}
      {"event":"didChange","subject":$account,"key":"a","change":1,"thread":1}
      {"event":"notify","registration":5,"change":1,"thread":1}
      {"event":"notifyEnd","registration":5,"change":1,"thread":1}
      {"event":"didChange","subject":$account,"key":"b","change":2,"thread":2}
      {"event":"notify","registration":5,"change":2,"thread":2}
      {"event":"notifyEnd","registration":5,"change":2,"thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed while the object is deallocated on another thread",
      ["KVO025 error"],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"remove",$pair,"registration":5,"thread":1}
      {"event":"deinit","object":$account,"thread":2}
      {"event":"removeEnd",$pair,"registration":5,"thread":1}
      {"event":"deinitEnd","object":$account,"thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed while the object is deallocated, without threads",
      [],
      notJudged: ["KVO025"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"remove",$pair,"registration":5}
      {"event":"deinit","object":$account}
      {"event":"removeEnd",$pair,"registration":5}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token ended twice",
      [],
      """
      {"event":"register",$only,"registration":5,"thread":1}
      {"event":"cancel","registration":5,"by":"user","thread":1}
      {"event":"cancel","registration":5,"by":"user","thread":2}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "told under a lock",
      ["KVO026 error"],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"lock","thread":1,"lock":"q"}
      {"event":"notify","registration":5,"thread":1}
      {"event":"notifyEnd","registration":5,"thread":1}
      {"event":"unlock","thread":1,"lock":"q"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "told beside a lock",
      [],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"lock","thread":1,"lock":"q"}
      {"event":"notify","registration":5,"thread":2}
      {"event":"notifyEnd","registration":5,"thread":2}
      {"event":"unlock","thread":1,"lock":"q"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "told under a lock, without threads",
      [],
      notJudged: ["KVO026"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"lock","lock":"q"}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"unlock","lock":"q"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a callback that changes what it observes, 101 deep, and ends",
      ["KVO027 warning"],
      deepCallbacks(101) + #"{"event":"exit","status":0}"#
    ),
    SparseLog(
      "a callback that changes what it observes, 101 deep, where the log ends",
      ["KVO027 error"],
      deepCallbacks(101, end: false)
    ),
    SparseLog(
      "a callback that changes what it observes, a hundred deep",
      [],
      deepCallbacks(100) + #"{"event":"exit","status":0}"#
    ),
    SparseLog(
      "a callback that changes what it observes, four deep",
      [],
      """
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"willChange",$change,"change":0,"thread":1}
      {"event":"didChange",$change,"change":0,"thread":1}
      {"event":"notify","registration":5,"change":0,"thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"notify","registration":5,"change":1,"thread":1}
      {"event":"willChange",$change,"change":2,"thread":1}
      {"event":"didChange",$change,"change":2,"thread":1}
      {"event":"notify","registration":5,"change":2,"thread":1}
      {"event":"willChange",$change,"change":3,"thread":1}
      {"event":"didChange",$change,"change":3,"thread":1}
      {"event":"notify","registration":5,"change":3,"thread":1}
      {"event":"notifyEnd","registration":5,"change":3,"thread":1}
      {"event":"notifyEnd","registration":5,"change":2,"thread":1}
      {"event":"notifyEnd","registration":5,"change":1,"thread":1}
      {"event":"notifyEnd","registration":5,"change":0,"thread":1}
      {"event":"exit","status":0}
      """
    ),
  ]

  /// Callbacks inside each other, with a newline at the end.
  private static func deepCallbacks(_ depth: Int, end: Bool = true) -> String {
    var lines = [#"{"event":"register",$pair,"registration":5}"#]
    for level in 0..<depth {
      lines.append(#"{"event":"willChange",$change,"change":\#(level)}"#)
      lines.append(#"{"event":"didChange",$change,"change":\#(level)}"#)
      lines.append(#"{"event":"notify","registration":5,"change":\#(level)}"#)
    }
    for level in (0..<depth).reversed() where end {
      lines.append(#"{"event":"notifyEnd","registration":5,"change":\#(level)}"#)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
