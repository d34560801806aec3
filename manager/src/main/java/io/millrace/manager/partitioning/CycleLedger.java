package io.millrace.manager.partitioning;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who polls what in one cycle (C-06..C-09): every resource is one member's at a time and is
 * recorded once.
 *
 * <p>The members are those that lived at the begin. One that joins later waits for the next cycle,
 * unless nobody is left. What a member that goes had not begun goes to the others in this same
 * cycle; so does, if it was lost rather than left, what it had begun, which is then perhaps polled
 * twice. A report counts only from whom the resource belongs to, as with any fenced write. Pure
 * state; not thread-safe.
 */
public final class CycleLedger {
  private static final class Entry {
    private Assignment last;
    private boolean inFlight;
  }

  private final long cycle;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final Map<String, Member> living = new HashMap<>();
  private final Map<String, Deque<String>> waiting = new HashMap<>();
  private final Deque<String> nobodys = new ArrayDeque<>();
  private int done;
  private int inFlight;

  /**
   * The begin of a cycle.
   *
   * @param resources what was discovered at its begin; those given twice count once
   * @param members who lives at its begin
   */
  public CycleLedger(long cycle, Collection<String> resources, Collection<Member> members) {
    this.cycle = cycle;
    resources.forEach(resource -> entries.putIfAbsent(resource, new Entry()));
    members.forEach(this::enter);
    handOut(entries.keySet());
  }

  /** Notes a new member: it waits for the next cycle, unless this one has nobody left. */
  public void join(Member member) {
    if (living.isEmpty()) {
      enter(member);
      List<String> left = List.copyOf(nobodys);
      nobodys.clear();
      handOut(left);
    }
  }

  /** The next resources of a member, at most so many; none for one that is not of the cycle. */
  public List<Assignment> take(Member member, int most) {
    List<Assignment> taken = new ArrayList<>();
    Deque<String> own = lives(member) ? waiting.get(member.name()) : new ArrayDeque<>();
    while (taken.size() < most && !own.isEmpty()) {
      String resource = own.poll();
      Entry entry = entries.get(resource);
      int number = entry.last == null ? 1 : entry.last.number() + 1;
      entry.last = new Assignment(cycle, resource, member, number);
      entry.inFlight = true;
      inFlight++;
      taken.add(entry.last);
    }
    return taken;
  }

  /**
   * Records that a resource was polled.
   *
   * @return false when it belongs to somebody else by now or is recorded already
   */
  public boolean done(Assignment assignment) {
    if (!release(assignment)) {
      return false;
    }
    done++;
    return true;
  }

  /**
   * Notes that polling it failed: it is tried again later in the cycle, by its owner of then.
   *
   * @return false as for {@link #done}
   */
  public boolean failed(Assignment assignment) {
    if (!release(assignment)) {
      return false;
    }
    handOut(List.of(assignment.resource()));
    return true;
  }

  /** A member goes and finishes what it has begun, but begins nothing more. */
  public void leave(Member member) {
    if (lives(member)) {
      living.remove(member.name());
      handOut(waiting.remove(member.name()));
    }
  }

  /** A member is lost; nothing that it says counts any more. */
  public void lose(Member member) {
    leave(member);
    for (Entry entry : List.copyOf(entries.values())) {
      if (entry.inFlight && entry.last.member().equals(member)) {
        failed(entry.last);
      }
    }
  }

  /** Whether every resource is recorded. */
  public boolean finished() {
    return done == entries.size();
  }

  /** How many are recorded. */
  public int recorded() {
    return done;
  }

  /** How many somebody is polling. */
  public int inFlight() {
    return inFlight;
  }

  private void enter(Member member) {
    living.put(member.name(), member);
    waiting.put(member.name(), new ArrayDeque<>());
  }

  private boolean lives(Member member) {
    return member.equals(living.get(member.name()));
  }

  private boolean release(Assignment assignment) {
    Entry entry = entries.get(assignment.resource());
    if (entry == null || !entry.inFlight || !assignment.equals(entry.last)) {
      return false;
    }
    entry.inFlight = false;
    inFlight--;
    return true;
  }

  private void handOut(Collection<String> resources) {
    if (living.isEmpty()) {
      nobodys.addAll(resources);
      return;
    }
    Ring.of(living.keySet())
        .split(resources)
        .forEach((member, share) -> waiting.get(member).addAll(share));
  }
}
