#include "value_decoder.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <exception>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

// A turn of the loop makes about so much: bytes of JSON text, and what an item costs beside its bytes.
constexpr std::size_t made_bytes_max = 64u << 10;
constexpr std::size_t item_cost = 256;
constexpr std::size_t short_list = 64;
constexpr std::string_view item_place = "an item of a list";

/** What is one value if it stands twice in a checkpoint: its type and form. `in_place`: the bytes of a scalar. */
std::string identity_of(const value_form& form, const value_type& type, std::string_view in_place)
{
    const value_type* const address = &type;
    std::string identity(reinterpret_cast<const char*>(&address), sizeof address);
    identity.push_back(static_cast<char>(form.tag));
    if (form.tag == value_tag::blob)
        identity.append(reinterpret_cast<const char*>(form.hash.bytes.data()), form.hash.bytes.size());
    else if (form.tag == value_tag::list)
        form.list.append_identity(identity);
    else
        identity.append(in_place);
    return identity;
}

}  // namespace

const blob_table::entry& value_decoder::blob_at(const content_hash& hash) const
{
    const blob_table::entry* const found = blobs_.find(hash);
    if (!found) throw error{errc::store_corrupt, "checkpoint", "the blob " + hash.text() + " is missing"};
    return *found;
}

boost::json::value value_decoder::parse(std::string_view text, std::string_view what)
{
    if (text.size() > bytes_left_)
        throw error{errc::store_corrupt, "checkpoint", "its values take more than 1 GiB"};
    bytes_left_ -= text.size();
    try {
        return parse_own_json(text);
    } catch (const error& wrong) {
        throw error{errc::store_corrupt, "checkpoint", std::string{what} + " is no JSON: " + wrong.what()};
    }
}

std::vector<std::string_view> value_decoder::items_of(const list_tree& list)
{
    if (list.size() > items_left_)
        throw error{errc::store_corrupt, "checkpoint",
                    "its lists have more than " + std::to_string(list_tree::size_max) + " items"};
    items_left_ -= static_cast<std::size_t>(list.size());
    std::vector<std::string_view> texts;
    list.for_each(blobs_, [&](std::string_view bytes, std::span<const content_hash>) { texts.push_back(bytes); });
    return texts;
}

boost::json::value value_decoder::json_of(value_form&& form)
{
    if (form.tag == value_tag::blob) return parse(blob_at(form.hash).bytes, "a value");
    if (form.tag != value_tag::list) return std::move(form.scalar);
    const std::vector<std::string_view> items = items_of(form.list);
    boost::json::array list;
    list.reserve(items.size());
    for (const std::string_view text : items) list.push_back(parse(text, item_place));
    return list;
}

bool value_decoder::read_json(linked_reader& from, boost::json::value& into)
{
    value_form form = read_form(from);
    if (form.tag == value_tag::nothing) return false;
    into = json_of(std::move(form));
    return true;
}

value_ptr value_decoder::read(linked_reader& from, const value_type& type)
{
    const std::size_t before = from.left();
    value_form form = read_form(from);
    if (form.tag == value_tag::nothing) return nullptr;
    std::string identity = identity_of(form, type, from.read_since(before));
    value_ptr& value = values_[std::move(identity)];
    if (value) return value;
    if (form.tag == value_tag::list && type.list) {
        const std::unique_ptr<list_maker> maker = type.list->make(static_cast<std::size_t>(form.list.size()));
        for (const std::string_view text : items_of(form.list)) maker->add(parse(text, item_place));
        value = maker->take();
    } else {
        value = type.from_json(json_of(std::move(form)));
    }
    return value;
}

void value_decoder::foresee(value_form form, const value_type& type)
{
    if (form.tag != value_tag::list || !type.list || form.list.size() <= short_list) return;
    std::string identity = identity_of(form, type, {});
    foreseen_.push_back({std::move(identity), std::move(form.list), &type});
}

bool value_decoder::make_some()
{
    if (!foreseen_.empty() && make_some_of(foreseen_.back())) foreseen_.pop_back();
    return foreseen_.empty();
}

bool value_decoder::make_some_of(begun_list& list)
{
    try {
        if (!list.maker) {
            list.items = items_of(list.list);
            list.maker = list.type->list->make(list.items.size());
            return false;
        }
        for (std::size_t made = 0; list.next < list.items.size(); ++list.next) {
            if (made >= made_bytes_max) return false;
            const std::string_view text = list.items[list.next];
            list.maker->add(parse(text, item_place));
            made += text.size() + item_cost;
        }
        values_[std::move(list.identity)] = list.maker->take();
    } catch (const std::exception&) {
        // Left to `read`.
    }
    return true;
}

}  // namespace weft::checkpoint_detail
