#include "value_encoder.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft::checkpoint_detail {

namespace {

class list_value_items final : public item_maker {
public:
    explicit list_value_items(const value_box& list) noexcept : list_{list} {}
    stored_item item(std::uint64_t index) override
    {
        return {stored_text_of(list_.type().list->item(list_, static_cast<std::size_t>(index)))};
    }

private:
    const value_box& list_;
};

}  // namespace

void value_encoder::write(linked_writer& to, const value_ptr& value, std::string_view key)
{
    if (!value) return to.byte(static_cast<std::uint8_t>(value_tag::nothing));
    try {
        if (value->type().list)
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
    const auto found = lists_.find(value.get());
    if (found == lists_.end() || found->second.draft < draft_) {
        list_tree tree = tree_of(*value);
        lists_[value.get()] = {value, std::move(tree), 0};
    }
    list_value& known = lists_[value.get()];
    if (known.draft != draft_ + 1) ++lists_used_;
    known.draft = draft_ + 1;
    to.byte(static_cast<std::uint8_t>(value_tag::list));
    known.tree.write(to, sink_);
}

/** Goes on from the longest list of the last draft that this one extends. */
list_tree value_encoder::tree_of(const value_box& value)
{
    const list_access& list = *value.type().list;
    const std::size_t size = list.size(value);
    const list_value* base = nullptr;
    for (const auto& [box, candidate] : lists_)
        // A list that was appended to shares all nodes but the last with the one before; which that was is not known,
        // so the longest that fits is taken.
        if (candidate.draft >= draft_ && &box->type() == &value.type() && candidate.tree.size() <= size &&
            (!base || candidate.tree.size() > base->tree.size()) && list.extends(value, *box))
            base = &candidate;
    list_value_items items{value};
    list_tree tree = base ? base->tree : list_tree{};
    if (tree.extend(items, size, sink_)) return tree;
    // What was read is not what this version would have written.
    list_tree anew;
    (void)anew.extend(items, size, sink_);
    return anew;
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
    plain_used_ = lists_used_ = 0;
}

}  // namespace weft::checkpoint_detail
