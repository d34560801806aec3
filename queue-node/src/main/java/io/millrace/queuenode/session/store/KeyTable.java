package io.millrace.queuenode.session.store;

import io.millrace.queuenode.store.UndoList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** The open sessions of one slot by key, in one array. One thread; changes can be undone. */
final class KeyTable {
  private final UndoList undo;
  private Session[] places = new Session[4];
  private int size;

  KeyTable(UndoList undo) {
    this.undo = undo;
  }

  int size() {
    return size;
  }

  /** The session of a key; null if there is none. */
  Session get(String key) {
    return places[place(key)];
  }

  void put(Session session) {
    insert(session);
    undo.add(() -> delete(session));
  }

  void remove(Session session) {
    delete(session);
    undo.add(() -> insert(session));
  }

  /** Visits all, in an order that differs from process to process. */
  void forEach(Consumer<Session> visitor) {
    for (Session session : places) {
      if (session != null) {
        visitor.accept(session);
      }
    }
  }

  /** All, the one that was opened first at first. */
  List<Session> inOrder() {
    List<Session> all = new ArrayList<>(size);
    forEach(all::add);
    all.sort(Comparator.comparingLong(Session::serial));
    return all;
  }

  private void insert(Session session) {
    if (size * 8 >= places.length * 5) {
      Session[] before = places;
      places = new Session[before.length * 2];
      for (Session each : before) {
        if (each != null) {
          places[place(each.key())] = each;
        }
      }
    }
    int at = place(session.key());
    if (places[at] != null) {
      throw new IllegalStateException("session " + session.key() + " is open already");
    }
    places[at] = session;
    size++;
  }

  private void delete(Session session) {
    int hole = place(session.key());
    if (places[hole] != session) {
      throw new IllegalStateException("session " + session.key() + " is not open");
    }
    places[hole] = null;
    size--;
    // Those after it whose way to their place led over the hole move into it.
    int mask = places.length - 1;
    for (int at = (hole + 1) & mask; places[at] != null; at = (at + 1) & mask) {
      int home = home(places[at].key());
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        places[hole] = places[at];
        places[at] = null;
        hole = at;
      }
    }
  }

  // Of the key, or where it would be.
  private int place(String key) {
    int mask = places.length - 1;
    int at = home(key);
    while (places[at] != null && !places[at].key().equals(key)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int home(String key) {
    return KeyHash.of(key) & (places.length - 1);
  }
}
