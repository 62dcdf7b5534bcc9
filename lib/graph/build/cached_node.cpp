#include "cached_node.hpp"

#include "node_result_json.hpp"

#include <weft/async/group/single_flight_cache.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::graph_detail {

namespace {

using lookup = node_cache::results::lookup;
using result_pointer = node_cache::results::value_pointer;

constexpr std::size_t entry_overhead = 256;  // of an entry beside its texts, roughly

struct cached_work {
    std::shared_ptr<const node_body> work;
    node_cache_policy policy;
    cached_place at;
};

// What makes two visits the same.

std::vector<std::uint32_t> slots_of(const cached_work& self, const node_context& node)
{
    const state_layout& layout = node.layout();
    std::vector<std::uint32_t> slots;
    const auto add = [&](const std::vector<std::string>& keys) {
        for (const std::string& key : keys) slots.push_back(layout.find(key));
    };
    if (self.policy.keys) {
        add(*self.policy.keys);
    } else if (self.at.reads) {
        add(*self.at.reads);
        if (self.at.writes) add(*self.at.writes);
        if (node.conversation_slot() != state_layout::none) slots.push_back(node.conversation_slot());
    } else {
        for (std::uint32_t slot = 0; slot < layout.size(); ++slot) slots.push_back(slot);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
}

std::string key_of(const cached_work& self, const node_context& node)
{
    boost::json::array parts;
    for (const std::string* part : {&self.at.graph, &self.at.node, &self.policy.version}) parts.emplace_back(*part);
    if (self.policy.key) {
        parts.emplace_back(self.policy.key(node));
        return to_json_text(parts);
    }
    boost::json::object inputs;
    for (const std::uint32_t slot : slots_of(self, node))
        if (const value_ptr& value = node.value_at(slot))
            inputs[node.layout()[slot].name] = value->type().to_json(*value);
    parts.push_back(std::move(inputs));
    // A join may read how its branches ended, which no key says.
    for (const branch_result& branch : node.branches())
        parts.emplace_back(std::to_string(branch.index) + " " + std::to_string(static_cast<int>(branch.status)));
    return to_json_text(parts);
}

// The results.

/** Writes what another visit wrote. @return  False, and nothing is written, if it does not fit the graph. */
bool apply(const cached_node_result& result, node_context& node)
{
    const state_layout& layout = node.layout();
    // All or nothing: a result of another version of the graph must not be taken half.
    for (const cached_node_result::write& write : result.writes) {
        const std::uint32_t slot = layout.find(write.key);
        if (slot == state_layout::none || !node.may_write(slot)) return false;
        const key_type& type = *layout[slot].type;
        if (&write.value->type() != (write.is_overwrite ? type.value : type.update)) return false;
    }
    for (const cached_node_result::write& write : result.writes)
        node.write({layout.find(write.key), write.is_overwrite, write.is_published, write.value});
    return true;
}

result_pointer result_of(const node_context& node)
{
    auto result = std::make_shared<cached_node_result>();
    for (const state_write& write : node.writes())
        result->writes.push_back(
            {node.layout()[write.slot].name, write.is_overwrite, write.is_published, write.value});
    return result;
}

/** Why a result is not kept; empty if it is. */
std::string_view reason_not_to_keep(const command& answer, const node_context& node)
{
    if (answer.which() != command::kind::next) return "it answered with a command";
    if (!node.is_repeatable()) return "it asked, had an effect, used memory or stopped a sibling";
    const auto has_none = [](const state_write& write) { return !write.value; };
    if (std::any_of(node.writes().begin(), node.writes().end(), has_none)) return "it took the value of a key away";
    return {};
}

time_point end_of(const cached_work& self, time_point now, std::chrono::milliseconds age = {})
{
    return self.policy.keep_for.count() > 0 ? now + (self.policy.keep_for - age) : time_point::max();
}

// The store.

void warn(node_context& node, std::string_view what, const std::exception& why)
{
    node.emit("warning", "the store of cached results " + std::string{what} + ": " + why.what());
}

task<std::optional<boost::json::value>> ask_store(std::shared_ptr<node_result_store> store, std::string key,
                                                  node_context& node)
{
    try {
        std::optional<boost::json::value> found = co_await store->load(std::move(key));
        co_return found;
    } catch (const std::exception& e) {
        if (node.stop_requested()) throw;
        warn(node, "cannot be read", e);
    }
    co_return std::nullopt;
}

task<void> save_in_store(std::shared_ptr<node_result_store> store, std::string key, boost::json::value result,
                      std::chrono::milliseconds keep_for, node_context& node)
{
    // A store that cannot be reached must not fail a node that has done its work.
    std::optional<std::chrono::milliseconds> lifetime;
    if (keep_for.count() > 0) lifetime = keep_for;
    try {
        co_await store->save(std::move(key), std::move(result), lifetime);
    } catch (const std::exception& e) {
        if (node.stop_requested()) throw;
        warn(node, "cannot be written", e);
    }
}

/** Gives the node what the store has; shares it with the visits that wait. @return  Whether it had something. */
task<bool> take_from_store(const cached_work& self, std::string key, node_context& node, lookup& place)
{
    const std::size_t key_bytes = key.size();
    const std::optional<boost::json::value> found =
        co_await ask_store(self.policy.where->store(), std::move(key), node);
    if (!found) co_return false;
    const clock::system_time_point now = node.loop().clock().system_now();
    std::optional<aged_result> known = read_result(*found, node.layout(), now);
    const bool is_over = known && self.policy.keep_for.count() > 0 && known->age >= self.policy.keep_for;
    if (!known || is_over || !apply(*known->result, node)) co_return false;
    place.succeed(known->result, {key_bytes + known->bytes + entry_overhead,
                                  end_of(self, node.loop().now(), known->age)});
    co_return true;
}

// The work.

task<command> do_work(std::shared_ptr<const node_body> work, node_context& node)
{
    command answer;
    if (work->is_coroutine()) {
        answer = co_await node_task::awaited(work->make(node));
    } else {
        work->run(node, answer);
    }
    // As the run does it: what the answer brings is among the writes of the node.
    for (state_update::item& item : answer.update().items())
        node.write({node.layout().require(item.key, node.node()), item.is_overwrite, false, std::move(item.value)});
    answer.update().items().clear();
    co_return answer;
}

/** Does the work for all visits that wait, and keeps the result if it may be. */
task<command> lead(std::shared_ptr<const cached_work> self, std::string key, node_context& node, lookup& place)
{
    command answer;
    std::exception_ptr failed;
    try {
        answer = co_await do_work(self->work, node);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed) {
        // A stop of this node is nothing to the others: one of them takes the lead.
        if (!node.stop_requested() && code_of(failed) != errc::cancelled) place.fail(failed);
        std::rethrow_exception(failed);
    }
    // What a node did besides writing would be lost on visits that take its result.
    const std::string_view reason = reason_not_to_keep(answer, node);
    // Those that wait cannot take this answer, so one of them does the work for itself.
    if (!reason.empty()) {
        place.leave();
        if (answer.which() != command::kind::fail) node.emit(cached_label, "not kept: " + std::string{reason});
        co_return answer;
    }
    const result_pointer result = result_of(node);
    std::optional<boost::json::value> written = write_result(*result, node.layout(), node.loop().clock().system_now());
    const std::size_t bytes = key.size() + entry_overhead + (written ? to_json_text(*written).size() : 0);
    place.succeed(result, {bytes, end_of(*self, node.loop().now())});
    if (const auto& store = self->policy.where->store(); store && written) {
        co_await save_in_store(store, std::move(key), *std::move(written), self->policy.keep_for, node);
    }
    co_return answer;
}

task<command> work_or_take(std::shared_ptr<const cached_work> self, node_context& node)
{
    using cached_value = node_cache::results::cached_value;
    const bool is_new = node.attempt() == 1;
    std::string key = key_of(*self, node);
    const node_cache& cache = *self->policy.where;
    const auto news = make_counted<remote_signal>();
    lookup place = cache.in_memory().look_up(key, news, node.loop().now(),
                                             is_new ? cached_value::taken : cached_value::passed_over);
    // The signal may come for another entry, or its leader may have gone: look again.
    while (place.now_is() == lookup::state::waits) {
        co_await news->wait();
        place.look(node.loop().now());
    }
    if (place.now_is() == lookup::state::failed) std::rethrow_exception(place.error());
    if (place.now_is() == lookup::state::found) {
        if (apply(*place.value(), node)) {
            node.emit(cached_label, place.was_shared() ? "shared" : "hit");
            co_return command::next();
        }
        co_return co_await do_work(self->work, node);  // the result is of a graph of this name with other keys
    }
    if (is_new && cache.store()) {
        const bool has_taken = co_await take_from_store(*self, key, node, place);
        if (has_taken) {
            node.emit(cached_label, "store");
            co_return command::next();
        }
    }
    co_return co_await lead(self, std::move(key), node, place);
}

class cached_node final : public node_body {
public:
    explicit cached_node(cached_work what)
        : node_body{true, what.work->may_command()}, what_{std::make_shared<const cached_work>(std::move(what))}
    {
    }

    void run(node_context&, command&) const override { BOOST_ASSERT_MSG(false, "a cached node is a coroutine"); }
    node_task make(node_context& context) const override { return node_task{work_or_take(what_, context)}; }
    const node_body& plain() const noexcept override { return what_->work->plain(); }
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override
    {
        return what_->work->written_keys(keys);
    }
    std::vector<std::string> mistakes(const state_layout& keys) const override { return what_->work->mistakes(keys); }
    bool describe(node_spec& into, const state_layout& keys) const override
    {
        return what_->work->describe(into, keys);
    }

private:
    std::shared_ptr<const cached_work> what_;
};

}  // namespace

std::shared_ptr<const node_body> make_cached_node(std::shared_ptr<const node_body> work, node_cache_policy policy,
                                                  cached_place at)
{
    BOOST_ASSERT(policy.where);
    return std::make_shared<const cached_node>(cached_work{std::move(work), std::move(policy), std::move(at)});
}

}  // namespace weft::graph_detail
