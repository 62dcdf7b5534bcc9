#include "value_decoder.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <utility>

namespace weft::checkpoint_detail {

class stored_items final : public json_items {
public:
    stored_items(std::vector<std::string_view> texts, value_decoder& by) : texts_{std::move(texts)}, by_{by} {}
    std::size_t size() const noexcept override { return texts_.size(); }
    boost::json::value next() override { return by_.parse(texts_[next_++], "an item of a list"); }

private:
    std::vector<std::string_view> texts_;
    value_decoder& by_;
    std::size_t next_ = 0;
};

const blob& value_decoder::blob_at(const content_hash& hash) const
{
    const auto found = blobs_.find(hash);
    if (found == blobs_.end())
        throw error{errc::store_corrupt, "checkpoint", "the blob " + hash.text() + " is missing"};
    return found->second;
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
    stored_items items{items_of(form.list), *this};
    boost::json::array list;
    list.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) list.push_back(items.next());
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
    const value_type* const address = &type;
    std::string identity(reinterpret_cast<const char*>(&address), sizeof address);
    identity.push_back(static_cast<char>(form.tag));
    if (form.tag == value_tag::blob)
        identity.append(reinterpret_cast<const char*>(form.hash.bytes.data()), form.hash.bytes.size());
    else if (form.tag == value_tag::list)
        form.list.append_identity(identity);
    else
        identity.append(from.read_since(before));
    value_ptr& value = values_[std::move(identity)];
    if (value) return value;
    if (form.tag == value_tag::list && type.list) {
        stored_items items{items_of(form.list), *this};
        value = type.list->make(items);
    } else {
        value = type.from_json(json_of(std::move(form)));
    }
    return value;
}

}  // namespace weft::checkpoint_detail
