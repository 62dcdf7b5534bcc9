#include "sqlite_reach.hpp"

#include "sqlite_checkpoints.hpp"

namespace weft::sqlite_detail {

hash_set reachable(connection& db, std::int64_t thread, const std::vector<content_hash>& links)
{
    hash_set found;
    std::vector<content_hash> left;
    const auto note = [&](const std::vector<content_hash>& hashes) {
        for (const content_hash& hash : hashes)
            if (found.insert(hash).second) left.push_back(hash);
    };
    note(links);
    while (!left.empty()) {
        const content_hash hash = left.back();
        left.pop_back();
        query asked{db, "SELECT links FROM blob WHERE thread = ? AND hash = ?", thread, raw{hash}};
        if (asked.next()) note(split(db, asked.view(0)));
    }
    return found;
}

}  // namespace weft::sqlite_detail
