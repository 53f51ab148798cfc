extension HandWrittenLog {
  static let registrations = [
    HandWrittenLog(
      "added twice from one line",
      ["KVO005"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,"form":"classic",$made}
      {"event":"register","thread":1,"order":2,$pair,"registration":2,"form":"classic",$made}
      {"event":"remove","thread":1,"order":3,$pair,"registration":2,$in}
      {"event":"remove","thread":1,"order":4,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "added under one context from two lines",
      ["KVO018"],
      """
      {"event":"register","thread":1,"order":1,$pair,"registration":1,"form":"classic",$made}
      {"event":"register","thread":1,"order":2,$pair,"registration":2,"form":"classic",\
      "site":"Base.swift:8","stack":["Base.init() (Base.swift:8)"]}
      {"event":"remove","thread":1,"order":3,$pair,"registration":2,$in}
      {"event":"remove","thread":1,"order":4,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two tokens of one owner on one key",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":1,"form":"token","token":$token,$made}
      {"event":"register","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":2,"form":"token","token":{"class":"ObservationToken","id":"10","kind":"token"},\
      "site":"Screen.swift:30"}
      {"event":"cancel","thread":1,"order":3,"registration":1,"by":"user"}
      {"event":"cancel","thread":1,"order":4,"registration":2,"by":"user"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two streams of one owner on one key",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":1,"form":"stream",$made}
      {"event":"register","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":2,"form":"stream","site":"Screen.swift:30"}
      {"event":"cancel","thread":1,"order":3,"registration":1,"by":"owner"}
      {"event":"cancel","thread":1,"order":4,"registration":2,"by":"owner"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token that replaces the one before",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":1,"form":"token","token":$token,$made}
      {"event":"register","thread":1,"order":2,"subject":$account,"observer":$screen,"keyPath":"balance",\
      "registration":2,"form":"token","token":{"class":"ObservationToken","id":"10","kind":"token"},$made}
      {"event":"notify","thread":1,"order":3,"registration":1,"phase":"after"}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"after"}
      {"event":"cancel","thread":1,"order":4,"registration":1,"by":"token"}
      {"event":"cancel","thread":1,"order":5,"registration":2,"by":"user"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed in its own initial notification",
      ["KVO010"],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["initial"],"registration":1,$made}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"initial"}
      {"event":"remove","thread":1,"order":3,$pair,"registration":1,$in}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"initial"}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token that ends in its own initial notification",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance",\
      "options":["initial"],"registration":1,"form":"token","token":$token,$made}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"initial"}
      {"event":"cancel","thread":1,"order":3,"registration":1,"by":"user"}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"initial"}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed by another thread during the initial notification",
      [],
      """
      {"event":"register","thread":1,"order":1,$pair,"options":["initial"],"registration":1,$made}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"initial"}
      {"event":"remove","thread":2,"order":3,$pair,"registration":1,$in}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"initial"}
      {"event":"registerEnd","thread":1,"registration":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "an object that observes itself",
      ["KVO020"],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$account,\
      "keyPath":"balance","context":null,"registration":1,$made}
      {"event":"remove","thread":1,"order":2,"subject":$account,"observer":$account,\
      "keyPath":"balance","context":null,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a stream of the object's own values",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"observer":$account,\
      "keyPath":"balance","registration":1,"form":"stream",$made}
      {"event":"cancel","thread":1,"order":2,"registration":1,"by":"owner"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a key that does not exist",
      ["KVO029"],
      """
      {"event":"refused","thread":1,"subject":$account,"observer":$screen,"keyPath":"balanse",\
      "context":null,"reason":"unknownKey","part":"balanse",$made}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token that is dropped at once",
      ["KVO031"],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance","registration":1,\
      "form":"token","token":$token,$made,"scope":1}
      {"event":"cancel","thread":1,"order":2,"registration":1,"by":"token","scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token that is dropped after it was notified of something",
      [],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance","registration":1,\
      "form":"token","token":$token,$made,"scope":1}
      {"event":"notify","thread":1,"order":2,"registration":1,"phase":"after","scope":1}
      {"event":"notifyEnd","thread":1,"registration":1,"phase":"after","scope":1}
      {"event":"cancel","thread":1,"order":3,"registration":1,"by":"token","scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
  ]
}
