extension SparseLog {
  static let scopes = [
    SparseLog(
      "left behind",
      ["KVO021 error"],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$pair,"registration":5}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "meant to stay",
      [],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$pair,"registration":5,"expectedToLive":"cache"}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added on another thread",
      [],
      """
      {"event":"scopeBegin","id":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":2}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added on another thread, in the scope",
      ["KVO021 error"],
      """
      {"event":"scopeBegin","id":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":2,"scope":1}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added in no scope, in a log with scopes",
      [],
      """
      {"event":"process","saysScopes":true}
      {"event":"scopeBegin","id":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added while scopes overlap",
      [],
      """
      {"event":"scopeBegin","id":1,"thread":1}
      {"event":"scopeBegin","id":2,"thread":1}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"register",$pair,"registration":5,"thread":1}
      {"event":"scopeEnd","id":2,"thread":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "left behind, with a loss",
      [],
      notJudged: ["KVO021"],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$pair,"registration":5}
      {"event":"dropped","count":3}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token dropped at once",
      ["KVO031 warning"],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$only,"registration":5,"token":$token}
      {"event":"cancel","registration":5,"by":"token"}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token that delivered its initial value",
      [],
      """
      {"event":"scopeBegin","id":1}
      {"event":"register",$only,"registration":5,"token":$token,"options":["initial"]}
      {"event":"cancel","registration":5,"by":"token"}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "expected outside of any scope",
      ["KVO001 error"],
      """
      {"event":"expects","rules":["KVO001"]}
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "another rule is expected",
      ["KVO001 error"],
      """
      {"event":"scopeBegin","id":1}
      {"event":"expects","rules":["KVO002"]}
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"remove",$pair}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change of another thread that ends after the scope",
      [],
      """
      {"event":"scopeBegin","id":1,"name":"test","thread":1}
      {"event":"willChange",$change,"change":1,"thread":2,"scope":1}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":2}
      {"event":"exit","status":0,"thread":1}
      """
    ),
    SparseLog(
      "a change that ends after the scope, without threads",
      [],
      """
      {"event":"scopeBegin","id":1,"name":"test"}
      {"event":"willChange",$change,"change":1}
      {"event":"scopeEnd","id":1}
      {"event":"didChange",$change,"change":1}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a change that ends after the scope on its thread",
      ["KVO012 error"],
      """
      {"event":"scopeBegin","id":1,"name":"test","thread":1}
      {"event":"willChange",$change,"change":1,"thread":1}
      {"event":"scopeEnd","id":1,"thread":1}
      {"event":"didChange",$change,"change":1,"thread":1}
      {"event":"exit","status":0,"thread":1}
      """
    ),
    SparseLog(
      "a change of another thread that does not end, and neither does the log",
      ["KVO012 error"],
      """
      {"event":"scopeBegin","id":1,"name":"test","thread":1}
      {"event":"willChange",$change,"change":1,"thread":2,"scope":1}
      {"event":"scopeEnd","id":1,"thread":1}
      """
    ),
    SparseLog(
      "an addition and a scope without their threads, beside events that name theirs",
      [],
      notJudged: ["KVO021"],
      """
      {"event":"threadName","thread":2,"name":"worker"}
      {"event":"willChange","thread":2,"subject":$savings,"key":"balance","change":1}
      {"event":"didChange","thread":2,"subject":$savings,"key":"balance","change":1}
      {"event":"scopeBegin","id":1,"name":"test"}
      {"event":"register",$pair,"registration":5}
      {"event":"scopeEnd","id":1}
      {"event":"exit","status":0}
      """
    ),
  ]
}
