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
      "two changes at once, some with their thread",
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
      "notified under a lock",
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
      "notified beside a lock",
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
      "notified under a lock, without threads",
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
      "a callback that changes what it observes, ten deep",
      ["KVO027 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"willChange",$change,"change":0}
      {"event":"didChange",$change,"change":0}
      {"event":"notify","registration":5,"change":0}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":5,"change":1}
      {"event":"willChange",$change,"change":2}
      {"event":"didChange",$change,"change":2}
      {"event":"notify","registration":5,"change":2}
      {"event":"willChange",$change,"change":3}
      {"event":"didChange",$change,"change":3}
      {"event":"notify","registration":5,"change":3}
      {"event":"willChange",$change,"change":4}
      {"event":"didChange",$change,"change":4}
      {"event":"notify","registration":5,"change":4}
      {"event":"willChange",$change,"change":5}
      {"event":"didChange",$change,"change":5}
      {"event":"notify","registration":5,"change":5}
      {"event":"willChange",$change,"change":6}
      {"event":"didChange",$change,"change":6}
      {"event":"notify","registration":5,"change":6}
      {"event":"willChange",$change,"change":7}
      {"event":"didChange",$change,"change":7}
      {"event":"notify","registration":5,"change":7}
      {"event":"willChange",$change,"change":8}
      {"event":"didChange",$change,"change":8}
      {"event":"notify","registration":5,"change":8}
      {"event":"willChange",$change,"change":9}
      {"event":"didChange",$change,"change":9}
      {"event":"notify","registration":5,"change":9}
      {"event":"notifyEnd","registration":5,"change":9}
      {"event":"notifyEnd","registration":5,"change":8}
      {"event":"notifyEnd","registration":5,"change":7}
      {"event":"notifyEnd","registration":5,"change":6}
      {"event":"notifyEnd","registration":5,"change":5}
      {"event":"notifyEnd","registration":5,"change":4}
      {"event":"notifyEnd","registration":5,"change":3}
      {"event":"notifyEnd","registration":5,"change":2}
      {"event":"notifyEnd","registration":5,"change":1}
      {"event":"notifyEnd","registration":5,"change":0}
      {"event":"exit","status":0}
      """
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
    SparseLog(
      "a removal that returned before the deallocation, and whose end says no context",
      [],
      """
      {"event":"register",$pair,"context":"c","registration":5,"thread":1}
      {"event":"remove",$pair,"context":"c","registration":5,"thread":2}
      {"event":"removeEnd",$pair,"thread":2}
      {"event":"deinit","object":$account,"thread":1}
      {"event":"deinitEnd","object":$account,"thread":1}
      {"event":"exit","status":0,"thread":1}
      """
    ),
    SparseLog(
      "a removal that returned before the deallocation, and whose end says no observer",
      [],
      """
      {"event":"register",$pair,"context":"c","registration":5,"thread":1}
      {"event":"remove",$pair,"context":"c","registration":5,"thread":2}
      {"event":"removeEnd",$only,"registration":5,"thread":2}
      {"event":"deinit","object":$account,"thread":1}
      {"event":"deinitEnd","object":$account,"thread":1}
      {"event":"exit","status":0,"thread":1}
      """
    ),
    SparseLog(
      "a removal that returned after the deallocation began, and whose end says no context",
      ["KVO025 error"],
      """
      {"event":"register",$pair,"context":"c","registration":5,"thread":1}
      {"event":"remove",$pair,"context":"c","registration":5,"thread":2}
      {"event":"deinit","object":$account,"thread":1}
      {"event":"removeEnd",$pair,"thread":2}
      {"event":"deinitEnd","object":$account,"thread":1}
      {"event":"exit","status":0,"thread":1}
      """
    ),
    SparseLog(
      "a removal under another context, beside one that says none",
      ["KVO003 error"],
      """
      {"event":"register",$pair,"context":null,"registration":5,"thread":1}
      {"event":"remove",$pair,"context":"c","registration":null,"thread":2}
      {"event":"remove",$pair,"registration":5,"thread":1}
      {"event":"removeEnd",$pair,"registration":5,"thread":1}
      {"event":"removeEnd",$pair,"context":"c","registration":null,"thread":2}
      {"event":"exit","status":0,"thread":1}
      """
    ),
  ]
}
