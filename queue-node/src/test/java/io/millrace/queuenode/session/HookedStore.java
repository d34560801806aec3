package io.millrace.queuenode.session;

import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.queuenode.session.store.SessionStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** A store of sessions that does something of the test's at each force to disk. */
record HookedStore(SessionStore store, Runnable atForce) implements SessionStore {
  @Override
  public void force() {
    store.force();
    atForce.run();
  }

  @Override
  public long term() {
    return store.term();
  }

  @Override
  public List<HeldSlot> slots(String queue) {
    return store.slots(queue);
  }

  @Override
  public void take(String queue, int version, List<GrantedSlot> slots, long holdUntil) {
    store.take(queue, version, slots, holdUntil);
  }

  @Override
  public void hold(String queue, List<Integer> slots, long until) {
    store.hold(queue, slots, until);
  }

  @Override
  public Effects seal(String queue, List<Integer> slots) {
    return store.seal(queue, slots);
  }

  @Override
  public Effects unseal(String queue, List<Integer> slots) {
    return store.unseal(queue, slots);
  }

  @Override
  public void endArrivals(String queue, int slot, List<String> undrained) {
    store.endArrivals(queue, slot, undrained);
  }

  @Override
  public SlotPage export(String queue, int slot, Sending sending, String after) {
    return store.export(queue, slot, sending, after);
  }

  @Override
  public void exported(String queue, int slot, long epoch) {
    store.exported(queue, slot, epoch);
  }

  @Override
  public Effects take(String queue, SlotPage page) {
    return store.take(queue, page);
  }

  @Override
  public PutAnswer put(SessionPut put) {
    return store.put(put);
  }

  @Override
  public RegistrationOutcome register(
      String queue,
      int version,
      UUID worker,
      WorkerRegistration registration,
      SessionDefinition rules) {
    return store.register(queue, version, worker, registration, rules);
  }

  @Override
  public Polled poll(
      String queue,
      UUID worker,
      SessionPoll poll,
      long number,
      long request,
      DeliveryRules rules,
      long maxBytes) {
    return store.poll(queue, worker, poll, number, request, rules, maxBytes);
  }

  @Override
  public Left leave(String queue, UUID worker, UUID incarnation) {
    return store.leave(queue, worker, incarnation);
  }

  @Override
  public boolean askToLeave(String queue, UUID worker, String by) {
    return store.askToLeave(queue, worker, by);
  }

  @Override
  public Optional<Effects> retire(String queue, UUID worker, String by) {
    return store.retire(queue, worker, by);
  }

  @Override
  public Effects look(Function<String, Optional<DeliveryRules>> rules) {
    return store.look(rules);
  }

  @Override
  public Effects act(String queue, String key, SessionAction action, String reason) {
    return store.act(queue, key, action, reason);
  }

  @Override
  public SessionPage list(String queue, SessionState state, UUID worker, String after, int limit) {
    return store.list(queue, state, worker, after, limit);
  }

  @Override
  public SessionView view(String queue, String key) {
    return store.view(queue, key);
  }

  @Override
  public SessionDetails show(String queue, String key) {
    return store.show(queue, key);
  }

  @Override
  public List<SessionWorkerView> workers(String queue) {
    return store.workers(queue);
  }

  @Override
  public Map<String, QueueFigures> figures() {
    return store.figures();
  }

  @Override
  public Set<String> queues() {
    return store.queues();
  }

  @Override
  public boolean remove(String queue, int version) {
    return store.remove(queue, version);
  }

  @Override
  public long diskBytes() {
    return store.diskBytes();
  }

  @Override
  public void commit() {
    store.commit();
  }

  @Override
  public void rollback() {
    store.rollback();
  }

  @Override
  public void close() {
    store.close();
  }
}
