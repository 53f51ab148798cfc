extension SparseLog {
  static let deaths = [
    SparseLog(
      "the end of a deallocation alone",
      ["KVO006 error"],
      """
      {"event":"register",$pair}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed while the object is deallocated",
      [],
      """
      {"event":"register",$pair}
      {"event":"deinit","object":$account}
      {"event":"remove",$pair}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token whose object is deallocated",
      ["KVO006 note"],
      """
      {"event":"register",$only,"registration":5}
      {"event":"deinit","object":$account}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a stream whose object is deallocated",
      [],
      """
      {"event":"register",$pair,"registration":5,"form":"stream"}
      {"event":"deinit","object":$account}
      {"event":"cancel","registration":5,"by":"subject"}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "deallocated while observed on GNUstep 1.28",
      ["KVO006 warning"],
      """
      {"event":"process","runtime":"gnustep-1.28"}
      {"event":"register",$pair}
      {"event":"deinit","object":$account}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "deallocated after a loss, and seen observed after it",
      ["KVO006 error"],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"dropped","count":3}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"deinit","object":$account}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "deallocated after a loss",
      [],
      notJudged: ["KVO006"],
      """
      {"event":"register",$pair}
      {"event":"dropped","count":3}
      {"event":"deinit","object":$account}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that ends with the observer",
      [],
      """
      {"event":"register",$pair,"registration":5,"token":$token}
      {"event":"deinit","object":$screen}
      {"event":"cancel","registration":5,"by":"observer"}
      {"event":"deinitEnd","object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a controller that is deallocated",
      [],
      """
      {"event":"register",$pair,"registration":5,"form":"controller"}
      {"event":"deinit","object":$screen}
      {"event":"deinitEnd","object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a deallocation of which the log has only the beginning",
      [],
      notJudged: ["KVO007"],
      """
      {"event":"register",$pair}
      {"event":"deinit","object":$screen}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "addresses that are used again",
      [],
      """
      {"event":"register","subject":$at10,"observer":$at20,"keyPath":"k"}
      {"event":"remove","subject":$at10,"observer":$at20,"keyPath":"k"}
      {"event":"deinit","object":$at20}
      {"event":"deinitEnd","object":$at20}
      {"event":"register","subject":$at10,"observer":{"class":"S","address":32},"keyPath":"k"}
      {"event":"remove","subject":{"class":"A","address":16},"observer":$at020,"keyPath":"k"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change after the deallocation of the token",
      [],
      """
      {"event":"register",$pair,"registration":4}
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"deinit","object":$token}
      {"event":"deinitEnd","object":$token}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":4,"change":1}
      {"event":"notifyEnd","registration":4,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the end of a scope after the deallocation of the token",
      [],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"deinit","object":$token}
      {"event":"deinitEnd","object":$token}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the object is deallocated after the token",
      [],
      """
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"notify","registration":5}
      {"event":"notifyEnd","registration":5}
      {"event":"deinit","object":$token}
      {"event":"deinitEnd","object":$token}
      {"event":"deinit","object":$account}
      {"event":"deinitEnd","object":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that is deallocated in its scope and was never notified",
      ["KVO031 warning"],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"deinit","object":$token}
      {"event":"deinitEnd","object":$token}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token of which the log has nothing but its deallocation",
      [],
      """
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"deinitEnd","object":$token}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that is held",
      [],
      """
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"hold","from":$screen,"to":$token}
      {"event":"drop","from":$screen,"to":$token}
      {"event":"cancel","registration":5,"by":"token"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that outlives another observation",
      [],
      """
      {"event":"register",$pair,"registration":5}
      {"event":"register",$only,"registration":6,"token":$token}
      {"event":"cancel","registration":5,"by":"user"}
      {"event":"cancel","registration":6,"by":"token"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that is cancelled by the next event, without a scope",
      [],
      notJudged: ["KVO031"],
      """
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"cancel","registration":5,"by":"token"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the end of a scope while the token is deallocated",
      [],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"deinit","object":$token}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the end of a scope before the deallocation of the token",
      ["KVO021 error"],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change after the deallocation of the controller",
      [],
      """
      {"event":"register",$second,"registration":4}
      {"event":"register",$pair,"registration":5,"form":"controller"}
      {"event":"deinit","object":$screen}
      {"event":"deinitEnd","object":$screen}
      {"event":"willChange",$change,"change":1}
      {"event":"didChange",$change,"change":1}
      {"event":"notify","registration":4,"change":1}
      {"event":"notifyEnd","registration":4,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the end of a scope after the end of the stream",
      [],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$pair,"registration":5,"form":"stream"}
      {"event":"deinit","object":$account}
      {"event":"deinitEnd","object":$account}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
  ]
}
