#pragma once

#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/item_vectors.hpp>
#include <weft/store/role/forwarding_store.hpp>
#include <weft/store/service_store.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

template <class T>
weft::task<T> for_tenant(weft::task<T> work, std::string tenant)
{
    weft::on_behalf_of<T> done{std::move(work), &tenant};
    co_return co_await done;
}

/** Without a tenant, on behalf of none. */
template <class T>
weft::task<T> for_tenant(weft::task<T> work, std::optional<std::string> tenant)
{
    weft::on_behalf_of<T> done{std::move(work), tenant ? &*tenant : nullptr};
    co_return co_await done;
}

#define WEFT_FOR_TENANT(result, name, parameters, whose, call) \
    [[nodiscard]] weft::task<result> name parameters override  \
    {                                                          \
        auto tenant = whose;                                   \
        return for_tenant(call, std::move(tenant));            \
    }

/** A store whose calls are each on behalf of the tenant that they name, as requests of a server's clients are. */
class store_for_tenants final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    /** Where events go that are appended for tenants. It outlives the store. */
    void use_log(weft::run_event_log& log) noexcept { log_ = &log; }
    [[nodiscard]] weft::run_event_log* event_log() noexcept override { return log_ ? log_ : inner().event_log(); }

    WEFT_FOR_TENANT(weft::run_admission, enqueue, (weft::new_run run), run.thread.tenant,
                    inner().enqueue(std::move(run)))
    WEFT_FOR_TENANT(weft::write_state, finish, (weft::write_fence by, weft::run_outcome outcome), by.thread.tenant,
                    inner().finish(std::move(by), std::move(outcome)))
    WEFT_FOR_TENANT(weft::write_state, bind, (weft::write_fence by, std::string revision), by.thread.tenant,
                    inner().bind(std::move(by), std::move(revision)))
    WEFT_FOR_TENANT(bool, change_input, (weft::thread_key of, weft::run_id run, std::string input), of.tenant,
                    inner().change_input(std::move(of), run, std::move(input)))
    WEFT_FOR_TENANT(weft::write_state, yield, (weft::write_fence by), by.thread.tenant, inner().yield(std::move(by)))
    WEFT_FOR_TENANT(std::optional<weft::run_id>, signal, (weft::thread_key of, weft::run_signal what), of.tenant,
                    inner().signal(std::move(of), what))
    WEFT_FOR_TENANT(std::optional<weft::run_record>, active_run, (weft::thread_key of), of.tenant,
                    inner().active_run(std::move(of)))
    WEFT_FOR_TENANT(weft::commit_result, commit, (weft::write_fence by, weft::checkpoint_draft draft), by.thread.tenant,
                    inner().commit(std::move(by), std::move(draft)))
    WEFT_FOR_TENANT(std::optional<weft::checkpoint>, load,
                    (weft::thread_key of, std::optional<std::int64_t> sequence), of.tenant,
                    inner().load(std::move(of), sequence))
    WEFT_FOR_TENANT(std::vector<weft::blob>, read_blobs,
                    (weft::thread_key of, std::vector<weft::content_hash> hashes), of.tenant,
                    inner().read_blobs(std::move(of), std::move(hashes)))
    WEFT_FOR_TENANT(std::vector<weft::checkpoint_info>, history, (weft::thread_key of, weft::history_page page),
                    of.tenant, inner().history(std::move(of), std::move(page)))
    WEFT_FOR_TENANT(bool, fork,
                    (weft::thread_key of, std::int64_t sequence, weft::thread_key to, weft::checkpoint_id id),
                    of.tenant, inner().fork(std::move(of), sequence, std::move(to), id))
    WEFT_FOR_TENANT(bool, label, (weft::thread_key of, std::int64_t sequence, std::string name), of.tenant,
                    inner().label(std::move(of), sequence, std::move(name)))
    WEFT_FOR_TENANT(weft::write_state, record, (weft::write_fence by, weft::effect_record effect), by.thread.tenant,
                    inner().record(std::move(by), std::move(effect)))
    WEFT_FOR_TENANT(std::vector<weft::effect_record>, effects, (weft::thread_key of), of.tenant,
                    inner().effects(std::move(of)))
    WEFT_FOR_TENANT(weft::write_state, ask, (weft::write_fence by, weft::question_record question), by.thread.tenant,
                    inner().ask(std::move(by), std::move(question)))
    WEFT_FOR_TENANT(weft::answer_state, answer, (weft::thread_key of, std::string address, std::string answer),
                    of.tenant, inner().answer(std::move(of), std::move(address), std::move(answer)))
    WEFT_FOR_TENANT(std::vector<weft::question_record>, questions, (weft::thread_key of), of.tenant,
                    inner().questions(std::move(of)))
    WEFT_FOR_TENANT(weft::prune_report, prune, (weft::thread_key of, weft::retention what), of.tenant,
                    inner().prune(std::move(of), what))
    WEFT_FOR_TENANT(bool, drop, (weft::thread_key of), of.tenant, inner().drop(std::move(of)))
    WEFT_FOR_TENANT(weft::thread_usage, usage, (weft::thread_key of), of.tenant, inner().usage(std::move(of)))
    WEFT_FOR_TENANT(std::vector<weft::thread_summary>, threads,
                    (std::string tenant_of_all, std::string after, std::size_t max), tenant_of_all,
                    inner().threads(std::move(tenant_of_all), std::move(after), max))

    [[nodiscard]] weft::task<std::optional<weft::run_record>> find_run(weft::run_id run) override
    {
        const std::optional<weft::run_record> found = co_await inner().find_run(run);
        std::optional<std::string> whose;
        if (found) whose = found->thread.tenant;
        co_return co_await for_tenant(inner().find_run(run), std::move(whose));
    }
    [[nodiscard]] weft::task<std::optional<std::pair<weft::thread_key, std::int64_t>>>
    find(weft::checkpoint_id id) override
    {
        const auto found = co_await inner().find(id);
        std::optional<std::string> whose;
        if (found) whose = found->first.tenant;
        co_return co_await for_tenant(inner().find(id), std::move(whose));
    }

private:
    weft::run_event_log* log_ = nullptr;
};

/** The same for items and their vectors. */
class items_for_tenants final : public weft::item_store, public weft::item_vectors {
public:
    explicit items_for_tenants(weft::item_store& inner) noexcept : inner_{inner} {}

    WEFT_FOR_TENANT(void, put,
                    (std::string owner, weft::item_key key, boost::json::value value,
                     std::optional<std::chrono::milliseconds> lifetime),
                    owner, inner_.put(std::move(owner), std::move(key), std::move(value), lifetime))
    WEFT_FOR_TENANT(std::optional<weft::stored_item>, get, (std::string owner, weft::item_key key), owner,
                    inner_.get(std::move(owner), std::move(key)))
    WEFT_FOR_TENANT(bool, erase, (std::string owner, weft::item_key key), owner,
                    inner_.erase(std::move(owner), std::move(key)))
    WEFT_FOR_TENANT(std::vector<weft::stored_item>, list,
                    (std::string owner, std::vector<std::string> space, std::optional<weft::item_key> after,
                     std::size_t max),
                    owner, inner_.list(std::move(owner), std::move(space), std::move(after), max))
    WEFT_FOR_TENANT(void, put_with_vector,
                    (std::string owner, weft::item_key key, boost::json::value value, weft::item_vector vector,
                     std::optional<std::chrono::milliseconds> lifetime),
                    owner,
                    inner_.vectors()->put_with_vector(std::move(owner), std::move(key), std::move(value),
                                                      std::move(vector), lifetime))
    WEFT_FOR_TENANT(std::vector<weft::item_match>, nearest,
                    (std::string owner, std::vector<std::string> space, weft::vector_query query), owner,
                    inner_.vectors()->nearest(std::move(owner), std::move(space), std::move(query)))
    [[nodiscard]] weft::task<std::size_t> sweep(std::size_t max) override { return inner_.sweep(max); }
    [[nodiscard]] weft::item_vectors* vectors() noexcept override { return this; }

private:
    weft::item_store& inner_;
};

/** The same for a service. */
class service_for_tenants final : public weft::service_store,
                                  public weft::run_event_log,
                                  public weft::run_directory,
                                  public weft::thread_directory,
                                  public weft::document_store,
                                  public weft::queue_view {
public:
    service_for_tenants(weft::service_store& inner, weft::checkpoint_store& runs) noexcept : inner_{inner}, runs_{runs}
    {
    }

    [[nodiscard]] weft::run_event_log& run_events() noexcept override { return *this; }
    [[nodiscard]] weft::run_directory& runs() noexcept override { return *this; }
    [[nodiscard]] weft::thread_directory& threads() noexcept override { return *this; }
    [[nodiscard]] weft::document_store& documents() noexcept override { return *this; }
    [[nodiscard]] weft::queue_view& queue() noexcept override { return *this; }
    [[nodiscard]] weft::shared_rates& rates() noexcept override { return inner_.rates(); }

    WEFT_FOR_TENANT(weft::event_append, append,
                    (weft::write_fence by, std::vector<weft::event_draft> events, weft::event_log_limits limits),
                    by.thread.tenant, inner_.run_events().append(std::move(by), std::move(events), limits))
    [[nodiscard]] weft::task<weft::event_page> read(weft::run_id run, std::uint64_t after, std::size_t count) override
    {
        std::optional<std::string> whose = co_await tenant_of(run);
        co_return co_await for_tenant(inner_.run_events().read(run, after, count), std::move(whose));
    }
    [[nodiscard]] weft::task<weft::event_prune> prune(std::chrono::milliseconds over_for, std::size_t max) override
    {
        return inner_.run_events().prune(over_for, max);
    }

    WEFT_FOR_TENANT(weft::run_page, search, (weft::run_query query), query.tenant,
                    inner_.runs().search(std::move(query)))
    WEFT_FOR_TENANT(std::size_t, count, (weft::run_query query), query.tenant, inner_.runs().count(std::move(query)))
    [[nodiscard]] weft::task<bool> cancel_queued(weft::run_id run) override
    {
        std::optional<std::string> whose = co_await tenant_of(run);
        co_return co_await for_tenant(inner_.runs().cancel_queued(run), std::move(whose));
    }
    [[nodiscard]] weft::task<bool> remove(weft::run_id run) override
    {
        std::optional<std::string> whose = co_await tenant_of(run);
        co_return co_await for_tenant(inner_.runs().remove(run), std::move(whose));
    }

    [[nodiscard]] weft::task<std::size_t> forget_idle_limits() override { return inner_.runs().forget_idle_limits(); }

    WEFT_FOR_TENANT(bool, create, (weft::thread_key of, std::string metadata), of.tenant,
                    inner_.threads().create(std::move(of), std::move(metadata)))
    WEFT_FOR_TENANT(bool, copy, (weft::thread_key of, weft::thread_key to, weft::checkpoint_id id), of.tenant,
                    inner_.threads().copy(std::move(of), std::move(to), id))
    WEFT_FOR_TENANT(std::optional<weft::stored_thread>, find, (weft::thread_key of), of.tenant,
                    inner_.threads().find(std::move(of)))
    WEFT_FOR_TENANT(bool, update, (weft::thread_key of, weft::thread_change change), of.tenant,
                    inner_.threads().update(std::move(of), std::move(change)))
    WEFT_FOR_TENANT(weft::thread_page, search, (weft::thread_query query), query.tenant,
                    inner_.threads().search(std::move(query)))
    WEFT_FOR_TENANT(std::size_t, count, (weft::thread_query query), query.tenant,
                    inner_.threads().count(std::move(query)))

    WEFT_FOR_TENANT(bool, write, (std::vector<weft::document_change> changes), owner_of(changes),
                    inner_.documents().write(std::move(changes)))
    WEFT_FOR_TENANT(std::optional<weft::stored_document>, read, (weft::document_key key), owner_of(key),
                    inner_.documents().read(std::move(key)))
    WEFT_FOR_TENANT(weft::document_page, search, (weft::document_query query), query.tenant,
                    inner_.documents().search(std::move(query)))
    WEFT_FOR_TENANT(std::size_t, count, (weft::document_query query), query.tenant,
                    inner_.documents().count(std::move(query)))
    [[nodiscard]] weft::task<std::vector<weft::stored_document>>
    take_due(std::string kind, std::chrono::milliseconds lease, std::size_t max) override
    {
        return inner_.documents().take_due(std::move(kind), lease, max);
    }
    [[nodiscard]] weft::task<std::size_t> erase_due(std::string kind, std::size_t max) override
    {
        return inner_.documents().erase_due(std::move(kind), max);
    }

    [[nodiscard]] weft::task<std::vector<weft::queue_depth>> depths(std::size_t max) override
    {
        return for_tenant(inner_.queue().depths(max), std::string{"any"});
    }
    [[nodiscard]] weft::task<std::vector<weft::unclaimable_runs>> unclaimable(std::size_t max) override
    {
        return for_tenant(inner_.queue().unclaimable(max), std::string{"any"});
    }
    [[nodiscard]] weft::task<std::vector<weft::dead_runs>> dead(std::size_t max) override
    {
        return for_tenant(inner_.queue().dead(max), std::string{"any"});
    }
    [[nodiscard]] weft::task<std::vector<weft::listed_worker>> workers(std::size_t max) override
    {
        return for_tenant(inner_.queue().workers(max), std::string{"any"});
    }

private:
    weft::task<std::optional<std::string>> tenant_of(weft::run_id run)
    {
        const std::optional<weft::run_record> found = co_await runs_.find_run(run);
        std::optional<std::string> whose;
        if (found) whose = found->thread.tenant;
        co_return whose;
    }
    /** Keys of the API are the installation's until it is known whose they are. */
    static std::optional<std::string> owner_of(const weft::document_key& key)
    {
        return key.kind == "api_key" ? std::optional<std::string>{} : key.tenant;
    }
    /** Changes of several tenants at once are no request's. */
    static std::optional<std::string> owner_of(const std::vector<weft::document_change>& changes)
    {
        if (changes.empty()) return std::nullopt;
        const std::optional<std::string> first = owner_of(changes.front().key);
        for (const weft::document_change& each : changes)
            if (each.key.kind != "assistant_version" && owner_of(each.key) != first) return std::nullopt;
        return first;
    }

    weft::service_store& inner_;
    weft::checkpoint_store& runs_;
};

#undef WEFT_FOR_TENANT

}  // namespace weft_tests
