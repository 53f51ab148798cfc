extension HandWrittenLog {
  static let removals = [
    HandWrittenLog(
      "removed twice",
      ["KVO001"],
      """
      {"event":"process","schema":1,"pid":7,"runtime":"swift"}
      {"event":"register","t":1,"thread":1,"order":1,$pair,"registration":1,"form":"classic",$made}
      {"event":"registerEnd","t":2,"thread":1,"registration":1}
      {"event":"remove","t":3,"thread":1,"order":2,$pair,"registration":1,"site":"Screen.swift:20",$in}
      {"event":"remove","t":4,"thread":1,"order":3,$pair,"registration":null,"site":"Screen.swift:21",$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "added twice and removed three times",
      ["KVO001", "KVO005"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"register","thread":1,"order":2,$pair,"registration":2,$made}
      {"event":"remove","thread":1,"order":3,$pair,"registration":2,$in}
      {"event":"remove","thread":1,"order":4,$pair,"registration":1,$in}
      {"event":"remove","thread":1,"order":5,$pair,"registration":null,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed twice, added again in between",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"register","thread":1,"order":3,$pair,"registration":2,$made}
      {"event":"remove","thread":1,"order":4,$pair,"registration":2,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed once, after its addition was lost",
      [],
      """
      {"event":"process","schema":1,"pid":7,"runtime":"swift"}
      {"event":"dropped","count":3,"why":"the disk is full"}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,"site":"Screen.swift:20",$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed once",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,"form":"classic",$made}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"removeEnd","thread":1,$pair,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "each of two observers removed once",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"register","thread":1,"order":2,"subject":$account,"observer":$page,"keyPath":"balance",\
      "context":null,"registration":2,"site":"Page.swift:4"}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"remove","thread":1,"order":4,"subject":$account,"observer":$page,"keyPath":"balance",\
      "context":null,"registration":2,"site":"Page.swift:9"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed after a token had ended it",
      ["KVO002"],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance","registration":1,\
      "form":"token","token":$token,$made}
      {"event":"cancel","thread":1,"order":2,"registration":1,"by":"user"}
      {"event":"remove","thread":1,"order":3,$pair,"registration":null,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed, never added",
      ["KVO002"],
      """
      {"event":"threadName","thread":1,"name":"main"}
      {"event":"remove","thread":1,"order":1,$pair,"registration":null,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed for another key path than it was added for",
      ["KVO002"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"remove","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"name",\
      "context":null,"registration":null,$in}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed twice after the observer's deallocation",
      ["KVO001", "KVO007"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made}
      {"event":"deinit","thread":1,"object":$screen,$in}
      {"event":"deinitEnd","thread":1,"object":$screen}
      {"event":"remove","thread":1,"order":2,$pair,"registration":null,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed under another context",
      ["KVO003"],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"balanceContext","registration":1,$made}
      {"event":"remove","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"otherContext","registration":null,$in}
      {"event":"remove","thread":1,"order":3,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"balanceContext","registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed under its own context",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"0x55d0c010","registration":1,$made}
      {"event":"remove","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"0x55d0c010","registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed without a context while there are two",
      ["KVO004"],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"a","registration":1,$made}
      {"event":"register","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"b","registration":2,$made}
      {"event":"remove","thread":1,"order":3,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":2,$in}
      {"event":"remove","thread":1,"order":4,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"a","registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed with each context while there are two",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"a","registration":1,$made}
      {"event":"register","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"b","registration":2,$made}
      {"event":"remove","thread":1,"order":3,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"b","registration":2,$in}
      {"event":"remove","thread":1,"order":4,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "context":"a","registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed without a context, added without one",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":1,$made}
      {"event":"remove","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed, after it was there before the log began",
      [],
      """
      {"event":"live","subject":$account,"observer":$screen,"keyPath":"balance","context":null,\
      "registration":1,"form":"classic"}
      {"event":"remove","thread":1,"order":1,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
  ]
}
