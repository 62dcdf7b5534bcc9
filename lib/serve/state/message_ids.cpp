#include "message_ids.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft::serve_detail {

namespace {

bool holds_messages(const value_ptr& box) noexcept
{
    return box && (&box->type() == &value_type_of<message> || &box->type() == &value_type_of<std::vector<message>> ||
                   &box->type() == &value_type_of<list<message>>);
}

/** Makes the ids of the messages of one visit, or of one client. */
class message_namer {
public:
    message_namer(std::string prefix, bool has_said) : prefix_{std::move(prefix)}, owes_main_{has_said} {}

    /** The same box if all of its messages have ids, or it has none. */
    [[nodiscard]] value_ptr named(const value_ptr& box)
    {
        if (!box) return box;
        if (&box->type() == &value_type_of<message>) {
            const message& one = unboxed<message>(*box);
            return one.id.empty() ? value_ptr{make_box<message>(with_id(one))} : box;
        }
        if (&box->type() == &value_type_of<std::vector<message>>) return named_all<std::vector<message>>(box);
        if (&box->type() == &value_type_of<list<message>>) return named_all<list<message>>(box);
        return box;
    }

private:
    template <class List>
    [[nodiscard]] value_ptr named_all(const value_ptr& box)
    {
        const List& all = unboxed<List>(*box);
        const auto has_none = [](const message& one) { return one.id.empty(); };
        if (std::none_of(all.begin(), all.end(), has_none)) return box;
        List result;
        for (const message& one : all) result.push_back(has_none(one) ? with_id(one) : one);
        return make_box<List>(std::move(result));
    }

    [[nodiscard]] message with_id(message one)
    {
        const bool is_main = owes_main_ && one.role == role::assistant;
        if (is_main) owes_main_ = false;
        one.id = is_main ? prefix_ : prefix_ + '-' + std::to_string(++count_);
        return one;
    }

    std::string prefix_;
    bool owes_main_;  // the message whose text has been emitted
    std::size_t count_ = 0;
};

}  // namespace

std::string message_id_of(const run_event& visit)
{
    std::string id = "run-" + visit.run.text() + ':';
    for (const char c : visit.address) id.push_back(c == '/' ? '|' : c);
    id.append(visit.address_visits.empty() ? "" : "|" + visit.address_visits);
    return id + ':' + std::string{visit.node} + ':' + std::to_string(visit.visit);
}

void name_messages(const run_event& visit, write_set& writes)
{
    // Making the id takes longer than most visits whose writes have no messages.
    const auto has_some = [](const state_write& write) { return holds_messages(write.value); };
    if (std::none_of(writes.begin(), writes.end(), has_some)) return;
    message_namer names{message_id_of(visit), true};
    for (state_write& write : writes) write.value = names.named(write.value);
}

void name_messages(std::string_view prefix, state_update& update)
{
    message_namer names{std::string{prefix}, false};
    for (state_update::item& item : update.items()) item.value = names.named(item.value);
}

}  // namespace weft::serve_detail
