package io.millrace.tests.drill.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Deals faults so that each kind happens to each role equally often, and no fault of a kind and
 * role is dealt twice before all of them were dealt. The same seed deals the same faults. Not
 * thread-safe.
 */
public final class FaultDeck {
  private final Map<FaultCell, List<Fault>> all = new TreeMap<>();
  private final Map<FaultCell, Deque<Fault>> rest = new TreeMap<>();
  private final Deque<FaultCell> cells = new ArrayDeque<>();
  private final Random random;

  private FaultDeck(List<Fault> faults, Random random) {
    faults.forEach(one -> all.computeIfAbsent(one.cell(), cell -> new ArrayList<>()).add(one));
    this.random = random;
  }

  /** A deck of these faults. */
  public static FaultDeck of(List<? extends Fault> all, Random random) {
    return new FaultDeck(List.copyOf(all), random);
  }

  /** The number of different faults. */
  public int size() {
    return all.values().stream().mapToInt(List::size).sum();
  }

  /** The number of different kinds by roles. */
  public int cells() {
    return all.size();
  }

  /** The next fault. */
  public Fault deal() {
    if (cells.isEmpty()) {
      List<FaultCell> order = new ArrayList<>(all.keySet());
      Collections.shuffle(order, random);
      cells.addAll(order);
    }
    FaultCell cell = cells.remove();
    Deque<Fault> faults = rest.computeIfAbsent(cell, one -> new ArrayDeque<>());
    if (faults.isEmpty()) {
      List<Fault> order = new ArrayList<>(all.get(cell));
      Collections.shuffle(order, random);
      faults.addAll(order);
    }
    return faults.remove();
  }

  /** The next faults. */
  public List<Fault> deal(int count) {
    List<Fault> hand = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hand.add(deal());
    }
    return hand;
  }
}
