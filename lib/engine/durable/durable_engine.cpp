#include <weft/engine/durable_engine.hpp>

#include "durable_impl.hpp"

#include <utility>

namespace weft {

namespace {

/** Shares ownership of the engine's insides while a call of them runs. */
template <class T>
task<T> sharing(std::shared_ptr<const void> owner, task<T> call)
{
    static_cast<void>(owner);
    task<T> inside = std::move(call);  // destroyed before the owner
    co_return co_await std::move(inside);
}

}  // namespace

durable_engine::durable_engine(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                               durable_options options)
    : impl_{std::make_shared<impl>(store, std::move(graphs), std::move(options))}
{
}

durable_engine::~durable_engine() { impl_->shut(); }

void durable_engine::use_graphs(std::shared_ptr<const durable_graphs> graphs)
{
    impl_->use_graphs(std::move(graphs));
}

worker_id durable_engine::worker() const noexcept { return impl_->core.lease.worker(); }

bool durable_engine::takes_runs() const noexcept
{
    const durable_core& core = impl_->core;
    if (!core.lease.is_alive() || core.is_draining || !core.looked_at) return false;
    return core.lease.loop().now() - *core.looked_at < core.options.lifetime;
}

std::size_t durable_engine::runs() const noexcept { return impl_->core.runs->size(); }

serial_loop& durable_engine::home() const
{
    impl_->core.lease.require_open();
    return impl_->core.lease.loop();
}

task<void> durable_engine::open() { return sharing(impl_, impl_->open()); }

task<void> durable_engine::close() { return sharing(impl_, impl_->close()); }

task<run_result> durable_engine::run(durable_request request)
{
    return sharing(impl_, impl_->requests.run(std::move(request)));
}

task<run_result> durable_engine::resume(thread_key thread, question_answers answers, run_request with)
{
    return sharing(impl_, impl_->requests.resume(std::move(thread), std::move(answers), std::move(with)));
}

task<bool> durable_engine::revive(thread_key thread)
{
    return sharing(impl_, impl_->requests.revive(std::move(thread)));
}

task<bool> durable_engine::retry(run_id dead) { return sharing(impl_, impl_->requests.retry(dead)); }

task<void> durable_engine::answer(thread_key thread, question_answers answers)
{
    return sharing(impl_, impl_->questions.answer(std::move(thread), std::move(answers)));
}

task<void> durable_engine::deliver_event(thread_key thread, std::string event, boost::json::value payload)
{
    return sharing(impl_, impl_->questions.deliver(std::move(thread), std::move(event), std::move(payload)));
}

task<run_result> durable_engine::follow(thread_key thread)
{
    return sharing(impl_, impl_->reader.follow(std::move(thread)));
}

task<std::vector<open_question>> durable_engine::questions(thread_key thread)
{
    return sharing(impl_, impl_->questions.open(std::move(thread)));
}

task<std::vector<effect_record>> durable_engine::effects(thread_key thread)
{
    return sharing(impl_, impl_->questions.effects(std::move(thread)));
}

task<bool> durable_engine::pause(thread_key thread)
{
    return sharing(impl_, impl_->requests.signal(std::move(thread), run_signal::pause));
}

task<bool> durable_engine::stop(thread_key thread)
{
    return sharing(impl_, impl_->requests.signal(std::move(thread), run_signal::cancel));
}

task<std::size_t> durable_engine::recover() { return sharing(impl_, impl_->worker.recover()); }

task<void> durable_engine::work() { return sharing(impl_, impl_->worker.work()); }

task<void> durable_engine::drain() { return sharing(impl_, impl_->worker.drain()); }

// The store answers this by itself.
task<std::vector<checkpoint_info>> durable_engine::history(thread_key thread, history_page page)
{
    return impl_->core.store.history(std::move(thread), std::move(page));
}

task<thread_snapshot> durable_engine::read(thread_key thread, std::optional<std::int64_t> sequence)
{
    return sharing(impl_, impl_->reader.read(std::move(thread), sequence));
}

task<thread_snapshot> durable_engine::fork(thread_key from, std::int64_t sequence, thread_key to, state_update edits)
{
    return sharing(impl_, impl_->editor.fork(std::move(from), sequence, std::move(to), std::move(edits)));
}

task<thread_snapshot> durable_engine::edit(thread_key thread, state_update edits, std::optional<std::int64_t> from)
{
    return sharing(impl_, impl_->editor.edit(std::move(thread), std::move(edits), from));
}

task<thread_snapshot> durable_engine::begin(thread_key thread, std::string graph, state_update values)
{
    return sharing(impl_, impl_->editor.begin(std::move(thread), std::move(graph), std::move(values)));
}

task<run_result> durable_engine::replay(thread_key from, std::int64_t sequence, durable_request request)
{
    return sharing(impl_, impl_->replay(std::move(from), sequence, std::move(request)));
}

task<bool> durable_engine::forget(thread_key thread)
{
    return sharing(impl_, impl_->editor.forget(std::move(thread)));
}

}  // namespace weft
