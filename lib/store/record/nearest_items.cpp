#include "nearest_items.hpp"

#include "json_contains.hpp"
#include "limit_checks.hpp"
#include "unit_vector.hpp"

#include <weft/base/error.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::store_detail {

namespace {

constexpr std::size_t slice_max = 4'096;

std::size_t checked_count(const vector_query& query)
{
    constexpr std::size_t found_max = vector_query::found_max;
    if (query.count_max > found_max || query.offset > found_max - query.count_max)
        throw error{errc::limit_reached, "search by vector",
                    "count_max " + std::to_string(query.count_max) + " and offset " + std::to_string(query.offset) +
                        " are more than " + std::to_string(found_max) + " together: ask for fewer"};
    return query.count_max == 0 ? 0 : query.count_max + query.offset;
}

}  // namespace

nearest_items::nearest_items(vector_query query)
    : model_{std::move(query.vector.model)}, vector_{unit_vector_bytes(query.vector.components)},
      filter_(checked_object(query.contains, document_limits::body_bytes_max, "filter")), score_min_{query.score_min},
      matches_max_{checked_count(query)}, offset_{query.offset}
{
    check_name_limit(model_, "model of a vector");
}

std::size_t nearest_items::slice_of(std::size_t bytes) const noexcept
{
    return std::clamp<std::size_t>(bytes / vector_.size(), 1, slice_max);
}

std::optional<float> nearest_items::look_at(std::string_view name, std::string_view vector) const
{
    if (vector.size() != vector_.size())
        throw error{errc::invalid_configuration, "item '" + std::string{name} + "'",
                    "its vector of the model '" + model_ + "' has " +
                        std::to_string(vector.size() / component_bytes) + " dimensions, and that of the query has " +
                        std::to_string(vector_.size() / component_bytes) +
                        ": give models, and lengths of their vectors, names of their own, or put the items again"};
    if (matches_max_ == 0) return std::nullopt;
    const float score = cosine_of(vector_, vector);
    if (score < score_min_) return std::nullopt;
    if (matches_.size() < matches_max_) return score;
    // Of equal scores the first one stays if keys come in their order; else `offer` compares the keys.
    const float worst = matches_.front().score;
    return score > worst || (score == worst && !is_ordered_) ? std::optional<float>{score} : std::nullopt;
}

void nearest_items::offer(stored_item item, float score)
{
    if (has_filter() && !json_contains(item.value, filter_)) return;
    if (!is_ordered_ && has(item.key)) return;
    item_match match{std::move(item), score};
    if (matches_.size() == matches_max_) {
        if (!is_better(match, matches_.front())) return;
        std::pop_heap(matches_.begin(), matches_.end(), &is_better);
        matches_.pop_back();
    }
    matches_.push_back(std::move(match));
    std::push_heap(matches_.begin(), matches_.end(), &is_better);
}

std::vector<item_match> nearest_items::take()
{
    std::sort_heap(matches_.begin(), matches_.end(), &is_better);
    const auto left_out = static_cast<std::ptrdiff_t>(std::min(offset_, matches_.size()));
    matches_.erase(matches_.begin(), matches_.begin() + left_out);
    return std::move(matches_);
}

bool nearest_items::has(const item_key& key) const
{
    return std::any_of(matches_.begin(), matches_.end(), [&](const item_match& each) {
        return each.item.key.space == key.space && each.item.key.name == key.name;
    });
}

bool nearest_items::is_better(const item_match& a, const item_match& b)
{
    return std::tie(b.score, a.item.key.space, a.item.key.name) < std::tie(a.score, b.item.key.space, b.item.key.name);
}

}  // namespace weft::store_detail
