#include "message_ids.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

/** Makes the ids of the messages of one visit, or of one client. */
class message_namer {
public:
    explicit message_namer(std::string_view prefix) : prefix_{prefix} {}
    explicit message_namer(const run_event& visit) noexcept : visit_{&visit}, owes_main_{true} {}

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
        one.id = is_main ? prefix() : prefix() + '-' + std::to_string(++count_);
        return one;
    }

    // Made with the first message: it takes longer than most visits whose writes have none.
    [[nodiscard]] const std::string& prefix()
    {
        if (visit_) prefix_ = message_id_of(*std::exchange(visit_, nullptr));
        return prefix_;
    }

    std::string prefix_;
    const run_event* visit_ = nullptr;  // null once its prefix is made, and for a client
    bool owes_main_ = false;  // the message whose text has been emitted
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
    message_namer names{visit};
    for (state_write& write : writes) write.value = names.named(write.value);
}

void name_messages(std::string_view prefix, state_update& update)
{
    message_namer names{prefix};
    for (state_update::item& item : update.items()) item.value = names.named(item.value);
}

}  // namespace weft::serve_detail
