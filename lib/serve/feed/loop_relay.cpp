#include "loop_relay.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::serve_detail {

namespace {

/** Something that a loop does for another one. */
struct relay_message final : remote_item {
    relay_message(std::shared_ptr<loop_relay> to, std::function<void(loop_relay&)> what)
        : remote_item{[](remote_item& self) {
              const std::unique_ptr<relay_message> done{static_cast<relay_message*>(&self)};
              done->what(*done->to);
          }},
          to{std::move(to)}, what{std::move(what)}
    {
    }
    std::shared_ptr<loop_relay> to;
    std::function<void(loop_relay&)> what;
};

/** Keeps of what loops tell what was not told yet. */
class told_entries {
public:
    [[nodiscard]] bool is_new(const relayed_entry& entry)
    {
        told& of = runs_[entry.run];
        if (entry.event) {
            if (entry.event->what.id <= of.last) return false;
            of.last = entry.event->what.id;
            of.has_ended = false;
            return true;
        }
        if (!entry.ending) return true;
        return !std::exchange(of.has_ended, true);
    }

private:
    struct told {
        std::uint64_t last = 0;
        bool has_ended = false;
    };
    std::map<run_id, told> runs_;
};

}  // namespace

relayed_entries merged(std::vector<relayed_entries> known)
{
    const auto of_tape = [](const relayed_entries& each) {
        return std::count_if(each.begin(), each.end(), [](const relayed_entry& one) { return one.sequence > 0; });
    };
    const auto longest = std::max_element(known.begin(), known.end(), [&](const auto& left, const auto& right) {
        return of_tape(left) < of_tape(right);
    });
    if (longest != known.end()) std::iter_swap(known.begin(), longest);
    relayed_entries result;
    told_entries told;
    for (relayed_entries& each : known) {
        for (relayed_entry& entry : each) {
            if (!told.is_new(entry)) continue;
            // Numbers of other tapes say nothing here.
            if (&each != &known.front()) entry.sequence = 0;
            result.push_back(std::move(entry));
        }
    }
    return result;
}

loop_relay::flush_item::flush_item(loop_relay& of) noexcept
    : ready_item{[](ready_item& self) { static_cast<flush_item&>(self).of.flush(); }}, of{of}
{
}

std::vector<std::shared_ptr<loop_relay>> loop_relay::among(const std::vector<serial_loop*>& loops)
{
    std::vector<std::shared_ptr<loop_relay>> result;
    for (serial_loop* const loop : loops) result.push_back(std::make_shared<loop_relay>(*loop, result.size()));
    for (const auto& member : result) {
        member->members_.assign(result.begin(), result.end());
        member->unsent_.resize(result.size());
    }
    return result;
}

void loop_relay::detach() noexcept
{
    listener_ = nullptr;
    flush_.unlink();
    followed_.clear();
}

void loop_relay::send(std::size_t to, message_function what)
{
    const std::shared_ptr<loop_relay> member = members_[to].lock();
    if (!member) return;
    auto message = std::make_unique<relay_message>(member, std::move(what));
    member->loop_.post(*message.release());
}

void loop_relay::tell(const thread_key& thread, relayed_entry news)
{
    if (followed_.empty()) return;
    const auto found = followed_.find(thread);
    if (found == followed_.end()) return;
    for (const std::size_t follower : found->second.followers)
        unsent_[follower].emplace_back(found->second.key, news);
    if (!flush_.is_queued()) loop_.defer(flush_);
}

void loop_relay::flush()
{
    for (std::size_t to = 0; to < unsent_.size(); ++to) {
        if (unsent_[to].empty()) continue;
        send(to, [batch = std::exchange(unsent_[to], {})](loop_relay& at) { at.receive_news(batch); });
    }
}

task<std::shared_ptr<void>> loop_relay::follow(thread_key thread, begin_function begin)
{
    std::shared_ptr<void> watch = hold(thread);
    inquiry open{loop_, std::move(thread)};
    const auto place = open_.insert(open_.end(), &open);
    struct closing {
        std::list<inquiry*>& open;
        std::list<inquiry*>::iterator place;
        ~closing() { open.erase(place); }
    };
    {
        const closing closes{open_, place};
        ask(open);
        const time_point latest = loop_.now() + answer_limit;
        open.timer.arm_at(latest);
        while (open.missing > 0 && loop_.now() < latest) co_await open.answered.wait();
        // Nothing is awaited from here to the end: what comes next is taken by the listener.
        open.timer.disarm();
        open.known.push_back(std::move(open.news));
    }
    begin(merged(std::move(open.known)));
    co_return watch;
}

void loop_relay::ask(inquiry& open)
{
    open.number = ++questions_;
    open.missing = members_.size() - 1;
    for (std::size_t to = 0; to < members_.size(); ++to) {
        if (to == index_) continue;
        send(to, [from = index_, thread = open.thread, question = open.number](loop_relay& at) {
            at.answer(from, thread, question);
        });
    }
}

void loop_relay::answer(std::size_t to, const thread_key& thread, std::uint64_t question)
{
    relayed_entries known;
    if (listener_) {
        followed_thread& of = followed_[thread];
        if (!of.key) of.key = std::make_shared<const thread_key>(thread);
        if (std::find(of.followers.begin(), of.followers.end(), to) == of.followers.end()) of.followers.push_back(to);
        known = listener_->recall(thread);
        flush();  // what was told before lies before the answer
    }
    send(to, [question, thread, known = std::move(known)](loop_relay& at) mutable {
        at.receive_answer(question, thread, std::move(known));
    });
}

void loop_relay::receive_answer(std::uint64_t question, const thread_key& thread, relayed_entries known)
{
    for (inquiry* const open : open_) {
        if (open->number != question) continue;
        open->known.push_back(std::move(known));
        --open->missing;
        open->answered.notify();
        return;
    }
    // Too late to begin with.
    if (listener_ && held_.contains(thread)) listener_->take(thread, known);
}

void loop_relay::receive_news(const std::vector<named_entry>& batch)
{
    for (const auto& [thread, entry] : batch) {
        bool is_awaited = false;
        for (inquiry* const open : open_) {
            if (open->thread != *thread) continue;
            open->news.push_back(entry);
            is_awaited = true;
        }
        if (!is_awaited && listener_ && held_.contains(*thread)) listener_->take(*thread, {entry});
    }
}

std::shared_ptr<void> loop_relay::hold(const thread_key& thread)
{
    ++held_[thread];
    // The member itself is what is pointed to, so that it lives as long as its watches.
    return {static_cast<void*>(this), [self = shared_from_this(), thread](void*) { self->let_go(thread); }};
}

void loop_relay::let_go(const thread_key& thread)
{
    const auto held = held_.find(thread);
    if (--held->second > 0) return;
    held_.erase(held);
    if (!listener_) return;
    listener_->lose_sight(thread);
    for (std::size_t to = 0; to < members_.size(); ++to) {
        if (to == index_) continue;
        send(to, [from = index_, thread](loop_relay& at) { at.forget_follower(from, thread); });
    }
}

void loop_relay::forget_follower(std::size_t follower, const thread_key& thread)
{
    const auto found = followed_.find(thread);
    if (found == followed_.end()) return;
    std::erase(found->second.followers, follower);
    if (found->second.followers.empty()) followed_.erase(found);
}

}  // namespace weft::serve_detail
