#include "value_encoder.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

class list_value_items final : public item_maker {
public:
    explicit list_value_items(const value_box& list) noexcept : list_{list} {}
    encoded_item item(std::uint64_t index) override
    {
        encoded_item made{stored_text_of(list_.type().list->item(list_, static_cast<std::size_t>(index)))};
        made_ += made.bytes.size() + item_cost;
        return made;
    }
    /** How much work it was, in bytes. */
    [[nodiscard]] std::size_t made() const noexcept { return made_; }

private:
    static constexpr std::size_t item_cost = 256;  // of a short item, beside its bytes
    const value_box& list_;
    std::size_t made_ = 0;
};

}  // namespace

void value_encoder::write(linked_writer& to, const value_ptr& value, std::string_view key)
{
    if (!value) return to.byte(static_cast<std::uint8_t>(value_tag::nothing));
    try {
        if (value->type().is_number)
            (void)write_json(to, value->type().to_json(*value), sink_);  // sooner than it is looked up
        else if (value->type().list)
            write_list(to, value);
        else
            write_plain(to, value);
    } catch (const error& wrong) {
        const bool is_limit = wrong.code() == errc::limit_reached;
        throw error{is_limit ? errc::limit_reached : errc::state_conversion, "key '" + std::string{key} + "'",
                    is_limit ? wrong.detail() : wrong.what()};
    } catch (const std::exception& wrong) {
        throw error{errc::state_conversion, "key '" + std::string{key} + "'", wrong.what()};
    }
}

void value_encoder::write_plain(linked_writer& to, const value_ptr& value)
{
    // By address: values never change, and one that is held here cannot have its address taken by another.
    plain_value& known = plain_[value.get()];
    if (known.draft != draft_ + 1) ++plain_used_;
    if (known.draft < draft_) {  // new, or not part of the last draft: its blob may be gone
        const std::size_t begin = to.size();
        known = {value, {}, std::nullopt, 0};
        known.hash = write_json(to, value->type().to_json(*value), sink_);
        if (!known.hash) known.in_place = to.bytes().substr(begin);
    } else if (known.hash) {
        to.byte(static_cast<std::uint8_t>(value_tag::blob));
        to.link(*known.hash);
    } else {
        to.raw(known.in_place);
    }
    known.draft = draft_ + 1;
}

void value_encoder::write_list(linked_writer& to, const value_ptr& value)
{
    auto found = lists_.find(value.get());
    if (found == lists_.end() || found->second.draft < draft_) {
        list_tree tree = tree_of(*value);
        found = lists_.insert_or_assign(value.get(), list_value{value, std::move(tree), 0}).first;
    }
    list_value& known = found->second;
    if (known.draft != draft_ + 1) ++lists_used_;
    known.draft = draft_ + 1;
    to.byte(static_cast<std::uint8_t>(value_tag::list));
    known.tree.write(to, sink_);
}

/** The longest list of the last draft that this one extends. It is taken away if nothing else has that list, so that
 *  no later draft can ask for it: a conversation that grows does not copy its tree with each step. */
list_tree value_encoder::take_base(const value_box& value)
{
    const list_access& list = *value.type().list;
    const std::size_t size = list.size(value);
    auto base = lists_.end();
    for (auto at = lists_.begin(); at != lists_.end(); ++at) {
        const list_value& candidate = at->second;
        // A list that was appended to shares all nodes but the last with the one before; which that was is not known,
        // so the longest that fits is taken.
        if (candidate.draft >= draft_ && &at->first->type() == &value.type() && candidate.tree.size() <= size &&
            (base == lists_.end() || candidate.tree.size() > base->second.tree.size()) &&
            list.extends(value, *at->first))
            base = at;
    }
    if (base == lists_.end()) return {};
    if (base->second.value->use_count() > 1) return base->second.tree;
    list_tree tree = std::move(base->second.tree);
    lists_.erase(base);
    return tree;
}

list_tree value_encoder::tree_of(const value_box& value)
{
    const std::size_t size = value.type().list->size(value);
    list_value_items items{value};
    list_tree tree = take_base(value);
    if (tree.extend(items, size, sink_)) return tree;
    // What was read is not what this version would have written.
    list_tree anew;
    (void)anew.extend(items, size, sink_);
    return anew;
}

bool value_encoder::prepare(const value_ptr& value, std::size_t bytes)
{
    constexpr std::size_t short_list = 64;
    const list_access* const list = value->type().list;
    const std::size_t size = list ? list->size(*value) : 0;
    if (size <= short_list) return true;
    const auto found = lists_.find(value.get());
    if (found != lists_.end() && found->second.draft >= draft_) return true;
    if (begun_.value != value) begun_ = {value, take_base(*value), 0};
    list_value_items items{*value};
    list_tree& tree = begun_.tree;
    try {
        while (tree.size() < size && items.made() < bytes)
            if (!tree.extend(items, std::min<std::uint64_t>(size, tree.size() + list_tree::width), sink_))
                tree = list_tree{};
    } catch (const std::exception&) {
        begun_ = {};
        return true;
    }
    if (tree.size() < size) return false;
    lists_[value.get()] = {value, std::move(tree), draft_};
    begun_ = {};
    return true;
}

void value_encoder::know(const value_ptr& value, const value_form& form)
{
    if (!value) return;
    if (form.tag == value_tag::list) {
        if (!value->type().list || value->type().list->size(*value) != form.list.size()) return;
        lists_[value.get()] = {value, form.list, draft_};
    } else if (form.tag == value_tag::blob && !value->type().list) {
        plain_[value.get()] = {value, {}, form.hash, draft_};
    }
}

template <class Values>
void value_encoder::drop_unused(Values& values, std::size_t used)
{
    // What is not used is harmless but for its memory: few of many may stay a while.
    const std::size_t unused = values.size() - used;
    if (unused > 16 + used / 4 || (unused > 0 && values.size() <= 64))
        std::erase_if(values, [this](const auto& entry) { return entry.second.draft < draft_; });
}

void value_encoder::end_draft()
{
    ++draft_;
    drop_unused(plain_, plain_used_);
    drop_unused(lists_, lists_used_);
    plain_used_ = lists_used_ = 0;
}

void value_encoder::forget() noexcept
{
    plain_.clear();
    lists_.clear();
    begun_ = {};
    plain_used_ = lists_used_ = 0;
}

}  // namespace weft::checkpoint_detail
