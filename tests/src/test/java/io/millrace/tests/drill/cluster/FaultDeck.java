package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.Cut;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Every fault of every process and every link, shuffled, so that a drill of enough rounds meets
 * each once before it meets any twice. One thread only.
 */
public final class FaultDeck {
  private final List<Fault> all = new ArrayList<>();
  private final List<Fault> rest = new ArrayList<>();
  private final Random random;

  private FaultDeck(List<Fault> all, Random random) {
    this.all.addAll(all);
    this.random = random;
  }

  /** Every process killed and frozen, every link cut in every manner. */
  public static FaultDeck ofQueues(Shape shape, List<String> links, Random random) {
    List<Fault> all = new ArrayList<>();
    for (String name : shape.names()) {
      all.add(new Fault.Killed(List.of(name)));
      all.add(new Fault.Frozen(name));
    }
    all.add(new Fault.Killed(shape.queueNodeNames()));
    all.add(new Fault.Killed(shape.centralNames()));
    for (String link : links) {
      for (Cut cut : Cut.values()) {
        all.add(new Fault.CutOff(link, cut));
      }
    }
    return new FaultDeck(all, random);
  }

  /** Any faults. */
  public static FaultDeck of(List<Fault> all, Random random) {
    return new FaultDeck(all, random);
  }

  public int size() {
    return all.size();
  }

  /** The next so many faults that can go on at the same time. */
  public List<Fault> deal(int count) {
    List<Fault> hand = new ArrayList<>();
    Set<String> touched = new HashSet<>();
    while (hand.size() < count) {
      if (rest.isEmpty()) {
        rest.addAll(all);
        Collections.shuffle(rest, random);
      }
      Iterator<Fault> faults = rest.iterator();
      boolean found = false;
      while (hand.size() < count && faults.hasNext()) {
        Fault fault = faults.next();
        if (Collections.disjoint(touched, fault.touches())) {
          faults.remove();
          hand.add(fault);
          touched.addAll(fault.touches());
          found = true;
        }
      }
      if (!found && !rest.isEmpty()) {
        // What is left clashes with this hand and waits for the next.
        return hand;
      }
    }
    return hand;
  }
}
