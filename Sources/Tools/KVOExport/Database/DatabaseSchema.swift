extension DatabaseExport {
  /// The tables, as `Documentation/Exports.md` describes them.
  static let schema = """
    CREATE TABLE inputs (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL, events INTEGER NOT NULL
    );
    CREATE TABLE findings (
      id INTEGER PRIMARY KEY, parent INTEGER REFERENCES findings, signature TEXT NOT NULL,
      code TEXT NOT NULL, slug TEXT NOT NULL, severity TEXT NOT NULL, consequence TEXT NOT NULL,
      message TEXT NOT NULL, class TEXT, observer TEXT, key_path TEXT, count INTEGER NOT NULL,
      processes INTEGER NOT NULL, runs INTEGER NOT NULL, library INTEGER NOT NULL,
      suppressed INTEGER NOT NULL, input INTEGER REFERENCES inputs, expected INTEGER NOT NULL
    );
    CREATE TABLE finding_frames (
      finding INTEGER NOT NULL REFERENCES findings, stack INTEGER NOT NULL, role TEXT NOT NULL,
      depth INTEGER NOT NULL, function TEXT, file TEXT, line INTEGER, module TEXT,
      own INTEGER NOT NULL
    );
    CREATE TABLE call_sites (
      id INTEGER PRIMARY KEY, class TEXT NOT NULL, key_path TEXT NOT NULL, observer TEXT,
      place TEXT, made INTEGER NOT NULL, live INTEGER NOT NULL
    );
    CREATE TABLE call_site_frames (
      call_site INTEGER NOT NULL REFERENCES call_sites, depth INTEGER NOT NULL, function TEXT,
      file TEXT, line INTEGER, module TEXT
    );
    CREATE TABLE growth (
      input INTEGER REFERENCES inputs, scope TEXT NOT NULL, class TEXT NOT NULL,
      key_path TEXT NOT NULL, observer TEXT, place TEXT, run INTEGER NOT NULL,
      live INTEGER NOT NULL, grows INTEGER NOT NULL
    );
    CREATE TABLE events (
      input INTEGER NOT NULL REFERENCES inputs, number INTEGER NOT NULL, time_ns INTEGER,
      thread TEXT, event TEXT NOT NULL, class TEXT, object TEXT, observer_class TEXT,
      observer TEXT, key_path TEXT, registration TEXT, change TEXT
    );
    CREATE INDEX events_by_registration ON events (input, registration);
    CREATE INDEX events_by_object ON events (input, object);
    """
}
