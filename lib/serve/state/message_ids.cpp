#include "message_ids.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft::serve_detail {

namespace {

constexpr std::ptrdiff_t named_bytes = 64 * 1024;  // copied in a turn of the loop

/** About how much of a message is copied. */
std::ptrdiff_t bytes_of(const message& one)
{
    std::size_t bytes = sizeof(one);
    for (const content_part& part : one.content)
        if (const auto* const text = std::get_if<text_part>(&part)) bytes += text->text.size();
    for (const tool_call& call : one.tool_calls) bytes += call.arguments.size();
    return static_cast<std::ptrdiff_t>(bytes);
}

bool has_none(const message& one) { return one.id.empty(); }

/** The first `count` messages. */
list<message> head_of(const list<message>& all, std::size_t count) { return all.first(count); }

std::vector<message> head_of(const std::vector<message>& all, std::size_t count)
{
    std::vector<message> head;
    head.reserve(all.size());
    head.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    return head;
}

/** Makes the ids of the messages of one visit, or of one client; a long list in pieces. */
class message_namer {
public:
    explicit message_namer(std::string_view prefix) : prefix_{prefix} {}
    explicit message_namer(const run_event& visit) noexcept : visit_{&visit}, owes_main_{true} {}

    /** Gives ids in one more piece. @return  True when all have theirs. */
    [[nodiscard]] bool name_some(write_set& writes)
    {
        left_ = named_bytes;
        for (; at_ < writes.size(); ++at_)
            if (left_ <= 0 || !name(writes[at_].value)) return false;
        return true;
    }

    void name_all(state_update& update)
    {
        left_ = std::numeric_limits<std::ptrdiff_t>::max();
        for (state_update::item& item : update.items()) static_cast<void>(name(item.value));
    }

private:
    /** A list that is copied. */
    template <class List>
    struct copying {
        value_ptr from;
        typename List::const_iterator next;
        List named;
    };

    /** The box stays if all of its messages have ids, or it has none. @return  False if there is more to do. */
    [[nodiscard]] bool name(value_ptr& box)
    {
        if (!box) return true;
        if (&box->type() == &value_type_of<std::vector<message>>) return name_in<std::vector<message>>(box);
        if (&box->type() == &value_type_of<list<message>>) return name_in<list<message>>(box);
        if (&box->type() != &value_type_of<message>) return true;
        const message& one = unboxed<message>(*box);
        if (!has_none(one)) return true;
        left_ -= bytes_of(one);
        box = make_box<message>(with_id(one));
        return true;
    }

    template <class List>
    [[nodiscard]] bool name_in(value_ptr& box)
    {
        const List& all = unboxed<List>(*box);
        auto* under_way = std::get_if<copying<List>>(&copying_);
        if (!under_way) {
            const auto first = std::find_if(all.begin(), all.end(), has_none);
            if (first == all.end()) return true;
            static_cast<void>(prefix());  // the visit is not there any more in the next piece
            const auto before = static_cast<std::size_t>(first - all.begin());
            under_way = &copying_.template emplace<copying<List>>(copying<List>{box, first, head_of(all, before)});
        }
        for (const auto end = all.end(); under_way->next != end; ++under_way->next) {
            if (left_ <= 0) return false;
            const message& one = *under_way->next;
            left_ -= bytes_of(one);
            under_way->named.push_back(has_none(one) ? with_id(one) : one);
        }
        box = make_box<List>(std::move(under_way->named));
        copying_.template emplace<std::monostate>();
        return true;
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
    std::size_t at_ = 0;       // of the writes
    std::ptrdiff_t left_ = 0;  // bytes that this piece may copy
    std::variant<std::monostate, copying<list<message>>, copying<std::vector<message>>> copying_;
};

}  // namespace

std::string message_id_of(const run_event& visit)
{
    std::string id = "run-" + visit.run.text() + ':';
    for (const char c : visit.address) id.push_back(c == '/' ? '|' : c);
    id.append(visit.address_visits.empty() ? "" : "|" + visit.address_visits);
    return id + ':' + std::string{visit.node} + ':' + std::to_string(visit.visit);
}

run_request::writes_rest name_messages(const run_event& visit, write_set& writes)
{
    message_namer names{visit};
    if (names.name_some(writes)) return {};
    return [rest = std::make_shared<message_namer>(std::move(names))](write_set& all) { return rest->name_some(all); };
}

void name_messages(std::string_view prefix, state_update& update)
{
    message_namer names{prefix};
    names.name_all(update);
}

}  // namespace weft::serve_detail
