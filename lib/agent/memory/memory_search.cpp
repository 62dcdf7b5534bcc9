#include <weft/agent/memory/memory_search.hpp>

#include "agent/text/key_text.hpp"
#include "agent/text/words_in_text.hpp"

#include <weft/base/text/ascii_text.hpp>
#include <weft/store/record/content_hash.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t searched_page = 200;
constexpr std::size_t query_words_max = 32;

/** The words of a query in small letters, each once. */
std::vector<std::string> query_terms(std::string_view text)
{
    std::vector<std::string> words = agent_detail::words_in(ascii_lower_case(text));
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    if (words.size() > query_words_max) words.resize(query_words_max);
    return words;
}

std::size_t words_found(const std::vector<std::string>& words, std::string_view name, std::string_view value)
{
    return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), [&](const std::string& word) {
        return agent_detail::find_in_any_case(name, word, 0) != std::string_view::npos ||
               agent_detail::find_in_any_case(value, word, 0) != std::string_view::npos;
    }));
}

struct match {
    std::size_t score;
    stored_item item;
};

/** The best of what was looked at; no more than `items_max` are kept. */
class memory_matches {
public:
    memory_matches(const item_space& where, const memory_query& asked)
        : where_{where}, asked_{asked}, words_{query_terms(asked.words)}
    {
    }

    void look_at(stored_item item)
    {
        const std::string name = name_in(where_, item.key);
        if (!name.starts_with(asked_.prefix)) return;
        const std::size_t score = words_found(words_, name, agent_detail::readable_text(item.value));
        if (score == 0 && !words_.empty()) return;
        found_.push_back({score, std::move(item)});
        if (found_.size() > 2 * asked_.items_max) shorten();
    }
    std::vector<stored_item> take()
    {
        shorten();
        std::vector<stored_item> items;
        for (match& each : found_) items.push_back(std::move(each.item));
        return items;
    }

private:
    void shorten()
    {
        std::sort(found_.begin(), found_.end(), [](const match& a, const match& b) {
            return std::tie(b.score, b.item.changed, a.item.key.space, a.item.key.name) <
                   std::tie(a.score, a.item.changed, b.item.key.space, b.item.key.name);
        });
        if (found_.size() > asked_.items_max) found_.resize(asked_.items_max);
    }

    const item_space& where_;
    const memory_query& asked_;
    std::vector<std::string> words_;
    std::vector<match> found_;
};

}  // namespace

std::string name_in(const item_space& where, const item_key& key)
{
    std::string name;
    for (std::size_t i = where.space().size(); i < key.space.size(); ++i) name += key.space[i] + "/";
    return name + key.name;
}

std::string memory_name_of(std::string_view text) { return "note-" + hash_of(text, hash_key{}).text().substr(0, 16); }

task<std::vector<stored_item>> search_memory(item_space where, memory_query asked)
{
    memory_matches found{where, asked};
    std::optional<item_key> after;
    for (std::size_t left = asked.scanned_max; left > 0;) {
        const std::size_t most = std::min(left, searched_page);
        std::vector<stored_item> page = co_await where.list(most, after);
        const std::size_t count = page.size();
        if (count > 0) after = page.back().key;
        for (stored_item& item : page) found.look_at(std::move(item));
        if (count < most) break;
        left -= count;
    }
    co_return found.take();
}

}  // namespace weft
