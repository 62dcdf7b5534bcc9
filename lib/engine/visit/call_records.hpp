#pragma once

#include <weft/graph/node/node_host.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace weft {

/** What the nodes of a run, and of the runs within its nodes, have recorded of their calls: by node and branch.
 *
 *  @par Thread safety   None: it belongs to its run. */
class call_records {
public:
    /** @param path   Names the branch and the node, with those around it. */
    [[nodiscard]] call_record& of(const std::string& path)
    {
        // What is forgotten costs a record that repeats what one before has said.
        if (records_.size() >= records_max && !records_.contains(path)) records_.clear();
        call_record& found = records_[path];
        found.newest = &newest_;
        return found;
    }

private:
    static constexpr std::size_t records_max = 256;

    std::uint64_t newest_ = 0;
    std::map<std::string, call_record> records_;
};

}  // namespace weft
